/// The bytes with which the values of an image begin.
///
/// An image is ``format``, then one value. Values are JSON's. Lengths and numbers are varints: seven bits a byte, the lowest first. A text
/// of at most ``longestNumbered`` bytes may get the next number where it first occurs; afterwards the number stands for it.
enum ImageTag {
    /// The first byte of an image; older images are JSON text, which never begins with it.
    static let format: UInt8 = 1

    static let null: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    /// A whole number of 64 bits, in zigzag form.
    static let int: UInt8 = 3
    /// Any other number: its length and its text.
    static let number: UInt8 = 4
    /// Names and values by turns, until ``end``.
    static let object: UInt8 = 5
    /// Values, until ``end``.
    static let array: UInt8 = 6
    static let end: UInt8 = 7
    /// A text's length and its bytes.
    static let text: UInt8 = 8
    /// The same, and the text gets the next number.
    static let numberedText: UInt8 = 9
    /// A text by its number, less ``words``.
    static let laterWord: UInt8 = 10
    /// The text of number 0; the tags behind it stand for the next numbers, ``words`` in all.
    static let firstWord: UInt8 = 16
    static let words = 240

    /// The number of the first text that an image numbers itself: those below are for ``ImageWord``.
    static let firstOwnNumber = 128

    /// Longer texts get no number: they are rarely repeated.
    static let longestNumbered = 48
    /// A value gets a number only while there are fewer, so that ids, which are all different, do not fill the memory.
    static let numberedValues = 512
    /// A name gets a number only while there are fewer.
    static let numberedNames = 4096
}

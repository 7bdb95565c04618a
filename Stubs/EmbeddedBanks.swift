public import Foundation

/// The banks that come with the library for tests: the folders beside this file, copied into its resources by the build.
public enum EmbeddedBanks {
    /// The folder that has them; nil if the resources cannot be read.
    public static var folder: URL? { Bundle.module.resourceURL }
}

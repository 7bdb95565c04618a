# The programs of a page: `. "$ROOT/Tests/Shell/parts/code.sh"`. It puts `counterfoil` on the path, with its banks in this folder.
mkdir bin
ln -s "$counterfoil" bin/counterfoil
ln -s "$ROOT/Stubs" Stubs
export PATH=$PWD/bin:$PATH COUNTERFOIL=$counterfoil COUNTERFOIL_STUBS=$ROOT/Stubs
unset COUNTERFOIL_ADMIN COUNTERFOIL_ADMIN_TOKEN

# programs FILE LANGUAGE COMMAND...: each block of that language in the page is a whole program: COMMAND with its file as the last
# argument ends with 0, and prints the block of ```text that follows it, if one does.
programs() {
    local file=$1 language=$2 n
    shift 2
    rm -f block.*
    awk -v language="$language" '
        $0 == "```" language { n++; to = "block." n "." language; print NR > ("block." n ".line"); next }
        $0 == "```text" && n { to = "block." n ".shown"; next }
        /^```/ { if (to) close(to); to = ""; next }
        to { print > to }
    ' "$file"
    [ -e block.1.line ] || { echo "found no block of $language in $file, expected one"; exit 1; }
    for ((n = 1; ; n++)); do
        [ -e block.$n.line ] || break
        "$@" "block.$n.$language" >block.$n.found 2>block.$n.printed ||
            { echo "$file:$(cat block.$n.line): found status $?, expected 0: $(cat block.$n.found block.$n.printed)"; exit 1; }
        [ ! -e block.$n.shown ] || diff block.$n.found block.$n.shown ||
            { echo "$file:$(cat block.$n.line): found another output than is shown, as above"; exit 1; }
    done
}

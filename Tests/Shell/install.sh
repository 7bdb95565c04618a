# The scripts install, manual and dist of deploy/package with the built program: what is put where, that it runs from there, that the
# same again changes nothing, that removing leaves nothing, and what is printed where it cannot be.
# Stripped once, so that all that follows is quick.
cp "$counterfoil" program && strip program

# install EXPECTED-STATUS VARIABLE=VALUE… [--remove]: its output is in $output.
install() {
    local expected=$1 status=0 variables=() what=$PWD/program
    shift
    while [ $# -gt 0 ]; do
        if [ "$1" = --remove ]; then what=--remove; else variables+=("$1"); fi
        shift
    done
    output=$(env "${variables[@]}" "$ROOT/deploy/package/install" "$what" 2>&1) || status=$?
    [ $status = "$expected" ] || { echo "install ${variables[*]}: found status $status, expected $expected: $output"; exit 1; }
}
shows() { [[ $output == $1 ]] || { echo "found «$output», expected «$1»"; exit 1; }; }
tree() { (cd "$1" && find . -type f -exec sha256sum {} + | sort -k 2 && find . -printf '%M %p\n' | sort -k 2); }

# The files and their places.
install 0 PREFIX="$PWD/a place/of mine"
shows "Installed counterfoil * under $PWD/a place/of mine.*is not on your PATH yet."
place="$PWD/a place/of mine"
for file in bin/counterfoil share/man/man1/counterfoil.1 share/bash-completion/completions/counterfoil \
    share/zsh/site-functions/_counterfoil share/fish/vendor_completions.d/counterfoil.fish share/doc/counterfoil/LICENSE \
    share/doc/counterfoil/packages/swift-nio-LICENSE.txt share/doc/counterfoil/docs/bank-language.md share/counterfoil/Contracts/tls.yaml; do
    [ -s "$place/$file" ] || { echo "found no $file, expected it installed"; exit 1; }
done
# Licences of the packages in the program, and of no others that a checkout is left of.
for file in "$place"/share/doc/counterfoil/packages/*; do
    package=${file##*/}
    package=${package%-LICENSE*}
    package=${package%-NOTICE*}
    [ "$package" = swift ] || grep -qE "/$package(\.git)?\"" "$ROOT/Package.resolved" ||
        { echo "found the licence of $package, expected only those of Package.resolved"; exit 1; }
done
# Pages differ in their links.
diff -r -x README.md "$ROOT/Stubs" "$place/share/counterfoil/Stubs"
diff -r -x README.md "$ROOT/Contracts" "$place/share/counterfoil/Contracts"
diff -r "$ROOT/schemas" "$place/share/counterfoil/schemas"
diff -r "$ROOT/clients/skeletons" "$place/share/counterfoil/clients/skeletons"

# Its documents stand by themselves, and say what differs from the source.
FOLDER=$place/share bash -e "$ROOT/Tests/Shell/links.sh" || { echo "found dead links in installed documents, expected none"; exit 1; }
grep -q 'counterfoil/Contracts/drivers/python/README.md)' "$place/share/doc/counterfoil/docs/driver-kits.md" ||
    { echo "found no link from the driver kits to the installed driver"; exit 1; }
sed -n 3p "$place/share/doc/counterfoil/README.md" | grep -q 'run `counterfoil serve`' || { echo "found a README of the source, expected one of an installation"; exit 1; }

# It runs from there, in a folder without banks, through a link too.
mkdir elsewhere
ln -s "$place/bin/counterfoil" elsewhere/link
(cd elsewhere && ./link validate) || { echo "the installed program found no valid banks and contracts"; exit 1; }
[ "$("$place/bin/counterfoil" --version)" = "$("$counterfoil" --version)" ]

# It writes drivers, and those in Contracts find their kits.
for language in swift python javascript java; do
    "$place/bin/counterfoil" new driver --language $language --out "made-$language" >/dev/null || { echo "the installed program wrote no driver in $language"; exit 1; }
done
grep -qF '.package(url: "' made-swift/Package.swift || { echo "found no address in $(cat made-swift/Package.swift)"; exit 1; }
"$place/bin/counterfoil" driver check --client "python3 '$place/share/counterfoil/Contracts/drivers/python/driver.py'" --bank counterfoil >/dev/null ||
    { echo "the installed driver in Python is not usable"; exit 1; }

# The manual has every command, and troff has nothing to say about it.
manual="$place/share/man/man1/counterfoil.1"
for command in serve test 'outage start' 'state check'; do
    grep -qx "\.SS $command" "$manual" || { echo "found no section «$command» in the manual, expected one"; exit 1; }
done
grep -q 'admin\\-token' "$manual"
if LC_ALL=C grep -q '[^ -~]' "$manual"; then echo "found other than ASCII in the manual, expected its escapes"; exit 1; fi
if command -v groff >/dev/null; then
    complaints=$(groff -man -Tutf8 -ww -Wbreak -z "$manual" 2>&1)
    [ -z "$complaints" ] || { echo "groff reports about the manual: $complaints"; exit 1; }
fi

# bash completes commands and options.
completed=$(bash -c '. "$1"; COMP_WORDS=(counterfoil outa); COMP_CWORD=1 COMP_LINE="counterfoil outa" COMP_POINT=16; _counterfoil counterfoil outa counterfoil; echo "${COMPREPLY[*]}"' \
    bash "$place/share/bash-completion/completions/counterfoil")
[ "$completed" = outage ] || { echo "bash completes «outa» to «$completed», expected outage"; exit 1; }

# The same again changes nothing; what an older version brought and this one has not is gone.
tree "$place" >first
touch "$place/share/counterfoil/Stubs/left-over"
install 0 PREFIX="$place/"
tree "$place" | diff first -

# Removing takes what it put there, and leaves what is another's.
echo mine >"$place/bin/another"
install 0 PREFIX="$place" --remove
shows "Removed counterfoil from $place."
[ "$(cd "$place" && find . -type f)" = ./bin/another ] || { echo "found left: $(find "$place" -type f)"; exit 1; }
install 0 PREFIX="$place" --remove

# DESTDIR stands before it.
install 0 DESTDIR="$PWD/package" PREFIX=/usr
[ -x package/usr/bin/counterfoil ]

# Places that are rejected.
install 1 PREFIX=relative
shows 'install: found PREFIX=relative, expected an absolute path'
: >file
install 1 PREFIX="$PWD/file"
shows "install: cannot write to $PWD/file/bin;*PREFIX=\$HOME/.local*"
[ "$(id -u)" != 0 ] || install 1 PREFIX=/proc/nowhere
mv program kept
install 1 PREFIX="$PWD/none"
shows '*found no program*make static*'
[ ! -e none ]
mv kept program

# The archive: the same bytes twice, its checksum, and it runs wherever it is unpacked.
export SOURCE_DATE_EPOCH=1700000000
archive=$("$ROOT/deploy/package/dist" program dist)
[[ $archive == "$PWD/dist/counterfoil-$(./program --version)-"*.tar.gz ]] || { echo "found the archive $archive"; exit 1; }
(cd dist && sha256sum --check --quiet SHA256SUMS)
first=$(sha256sum <"$archive")
touch -d yesterday program
umask 077
"$ROOT/deploy/package/dist" program dist >/dev/null
[ "$(sha256sum <"$archive")" = "$first" ] || { echo "the same program and tree gave two archives, expected one"; exit 1; }
mkdir unpacked
tar -xzf "$archive" -C unpacked
(cd elsewhere && ../unpacked/*/bin/counterfoil validate) || { echo "the unpacked program found no valid banks and contracts"; exit 1; }

# deploy/package/check-install reports it if it cannot make or enter a bare root. (make check-install does the rest: it wants root and a
# mirror of Debian.)
check() {
    local status=0
    output=$(PATH=$PWD/stand-ins:$PATH "$ROOT/deploy/package/check-install" "$archive" bare 2>&1) || status=$?
    [ $status = 1 ] || { echo "check-install: found status $status, expected 1: $output"; exit 1; }
}
stand_in() { printf '#!/bin/sh\n%s\n' "$2" >"stand-ins/$1" && chmod +x "stand-ins/$1"; }
mkdir stand-ins
stand_in id 'echo 1000'
check
shows '*only root may make a bare root*'
[ ! -e bare ]
stand_in id 'echo 0'
stand_in debootstrap 'echo "E: no such mirror"; exit 1'
check
shows '*E: no such mirror*could not make a Debian from http://deb.debian.org/debian*MIRROR=*'
stand_in debootstrap 'mkdir -p "$3/etc"'
echo broken >>"$archive"
check
shows '*the archive is not what SHA256SUMS says*'
[ -z "$(find bare -name 'root.*')" ] || { echo "found left: $(ls bare), expected no root"; exit 1; }

# `make docs`: DocC takes the library's articles and symbols without a warning, and a link to a symbol that is not there is one.
command -v docc >/dev/null || { echo "found no docc in this toolchain: the documentation of the library is not tried"; exit 0; }
"$ROOT/.ci/docs" "$PWD/pages" >output 2>&1 || { cat output; exit 1; }
for page in withstubbank stubbank stubbankerror; do
    ls pages/data/documentation/counterfoiltesting | grep "^$page" >listed || { echo "found no page of $page, expected one"; exit 1; }
done

# The texts of an admin server begin no line of a command's output and steer no terminal, and a response is read to a limit.
. "$ROOT/Tests/Shell/parts/serve.sh"

serve counterfoil roundup --stubs "$ROOT/Stubs" --seed 7
python3 "$ROOT/Tests/Shell/parts/hostile_admin.py" "$counterfoil" "$COUNTERFOIL_ADMIN"

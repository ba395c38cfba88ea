# Read by run.sh here and in ../soak, which set root: makes a virtual environment with gRPC under
# build/attack-venv, and in it the Python of our protos. Sets venv and generated.
venv="$("$root/tests/venv.sh" attack)"
generated="$venv/generated"

protos=("$root"/proto/dragoman/v1/*.proto "$root"/proto/google/rpc/*.proto "$root/proto/grpc/health/v1/health.proto")
stamp="$generated/stamp"
for proto in "${protos[@]}"; do
  if [[ ! -e $stamp || $proto -nt $stamp ]]; then
    rm -rf "$generated"
    mkdir -p "$generated"
    "$venv/bin/python" -m grpc_tools.protoc -I "$root/proto" --python_out="$generated" \
      --grpc_python_out="$generated" "${protos[@]:0:${#protos[@]}-1}"
    # The Python package grpc has no room for grpc/health: this one lies at the top.
    "$venv/bin/python" -m grpc_tools.protoc -I "$root/proto/grpc/health/v1" \
      --python_out="$generated" --grpc_python_out="$generated" health.proto
    touch "$stamp"
    break
  fi
done

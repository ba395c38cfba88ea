# shellcheck shell=bash
# The images of docker/Dockerfile.fetch and docker/Dockerfile.model, from a hub on the loopback. run.sh sources this, and
# calls try_models when it has the image `dragoman`.

# What the hub has is the bundled model, by another name: what must not be found afterwards is the directory de-en.
hub_model=owner/opus
served_as=from-hub
bundled=deploy/models/de-en
hub_token=hf_a_token_of_the_test

end_hub() {
  [[ -z $hub ]] || kill "$hub" 2>/dev/null || true
  [[ -z $hub ]] || wait "$hub" 2>/dev/null || true
  hub=
}
start_hub() {
  mkfifo "$work/hub.url"
  python3 -B tests/deploy/hub.py --token "$hub_token" "$hub_model=$bundled" >"$work/hub.url" &
  hub=$!
  read -r hub_url <"$work/hub.url"
}

build_model_image() { # build_model_image NAME REVISION [ARGUMENT...]
  build_image "$1" docker/Dockerfile.model --build-arg FETCH_IMAGE=dragoman-fetch --build-arg SERVER_IMAGE=dragoman \
    --build-arg "NAME=$served_as" --build-arg "MODEL=hf:$hub_model@$2" --build-arg "HF_ENDPOINT=$hub_url" \
    "${@:3}"
}
with_token=(--secret "id=hf_token,src=$work/hf_token") # of build_model_image

refused() { # refused PATTERN COMMAND...: the command fails, and says why
  local pattern=$1
  shift
  if "$@" >"$work/refused.log" 2>&1; then return 1; fi
  grep --extended-regexp "$pattern" "$work/refused.log" || ! tail -n 20 "$work/refused.log"
}
# Of the model the volume has all files and what dragoman-fetch wrote down of them, and nothing else is in the image.
volume_is_the_model() {
  local volume mounted same=0
  volume=$(buildah "${storage[@]}" from --pull-never dragoman-volume)
  mounted=$(buildah "${storage[@]}" mount "$volume")
  diff --recursive --exclude .dragoman-fetch.json "$bundled" "$mounted/models/$served_as" &&
    grep --quiet "hf:$hub_model@v1" "$mounted/models/$served_as/.dragoman-fetch.json" &&
    [[ $(find "$mounted" -type f | wc -l) -eq $(($(find "$bundled" -type f | wc -l) + 1)) ]] || same=1
  buildah "${storage[@]}" rm "$volume" >/dev/null
  return "$same"
}
serves_only_the_hubs_model() {
  [[ $(in_container ls /models) == "$served_as" ]]
}
keeps_no_token() {
  local mounted
  mounted=$(buildah "${storage[@]}" mount "$container")
  ! grep --recursive --files-with-matches --fixed-strings "$hub_token" "$mounted/models" "$mounted/etc" "$mounted/tmp" &&
    ! buildah "${storage[@]}" inspect "$image" | grep --fixed-strings "$hub_token"
}

try_models() {
  check "dragoman-fetch: builds" build_image dragoman-fetch docker/Dockerfile.fetch
  echo "$hub_token" >"$work/hf_token"
  start_hub
  check "an image of a model: without the hub's token it is not built" \
    refused '401|Unauthorized|RepositoryNotFound' build_model_image dragoman-model v1
  check "an image of a model: of a revision that there is not it is not built" \
    refused 'RevisionNotFound|404' build_model_image dragoman-model v2 "${with_token[@]}"
  check "a volume of a model: builds" build_model_image dragoman-volume v1 "${with_token[@]}" --target volume
  check "a volume of a model: has the model and nothing else" volume_is_the_model
  check "dragoman-model: builds" build_model_image dragoman-model v1 "${with_token[@]}"
  ((failed)) || try_built_image dragoman-model serves_only_the_hubs_model keeps_no_token
  end_hub
}

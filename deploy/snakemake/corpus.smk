# A rule that translates the shards of a corpus. In a Snakefile, with Snakemake 8 or later:
#
#   config["dragoman"] = {"from": "de", "to": "en", "arguments": "--local /models/de-en"}
#   include: "corpus.smk"
#   rule all:
#       input: expand("en/{shard}", shard=["part-1.jsonl.zst", "part-2.jsonl.zst"])
#
# en/SHARD is made of de/SHARD. "arguments" are those of `dragoman corpus`. All jobs of a machine share the dragomand of
# --local; it uses all cores, so a job counts as one.
rule dragoman_corpus:
    input:
        config["dragoman"]["from"] + "/{shard}",
    output:
        config["dragoman"]["to"] + "/{shard}",
    params:
        to=config["dragoman"]["to"],
        arguments=config["dragoman"]["arguments"],
    wildcard_constraints:
        shard=r".+\.(txt|tsv|jsonl)(\.gz|\.zst)?",
    retries: 3
    shell:
        "dragoman corpus --to {params.to} --out $(dirname {output:q}) {params.arguments} {input:q}"

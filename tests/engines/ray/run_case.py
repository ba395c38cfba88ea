"""A Ray cluster of a head and two nodes: undisturbed, with the daemon killed, and with a node removed without grace."""

import threading

import dragoman.ray
import ray
import ray.cluster_utils
import ray.data

import engine_case as case


def run(texts, started):
    dataset = ray.data.from_items([{"row": row, "text": text} for row, text in enumerate(texts)], override_num_blocks=50)
    translated = dataset.map_batches(
        dragoman.ray.Translator,
        fn_constructor_kwargs={"column": "text", "to": "en", "local": case.LOCAL, "local_flags": case.FLAGS},
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=3),
        batch_size=256,
    )
    found = []
    for batch in translated.iter_batches(batch_size=256):
        found += zip(map(int, batch["row"]), map(str, batch["translation"]))
        if len(found) > len(texts) // 5:
            started.set()
    return found


def main():
    texts = case.rows()
    wanted = case.expected(texts)
    cluster = ray.cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = [cluster.add_node(num_cpus=2) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    case.check("Ray", run(texts, threading.Event()), texts, wanted)

    def disturbed(disturb):
        started = threading.Event()

        def once_started():
            case.wait_for(started.is_set, "result of Ray")
            disturb()

        return case.during(lambda: run(texts, started), once_started)

    case.check("Ray, daemon killed", disturbed(case.kill_daemon), texts, wanted)

    def replace_node():
        cluster.remove_node(nodes[0], allow_graceful=False)
        cluster.add_node(num_cpus=2)

    case.check("Ray, node removed and another added", disturbed(replace_node), texts, wanted)
    ray.shutdown()
    cluster.shutdown()


main()

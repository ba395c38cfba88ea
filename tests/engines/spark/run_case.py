"""A local Spark cluster of two executors: undisturbed, with the daemon killed, and with an executor killed."""

import os
import signal

import dragoman.spark
from pyspark.sql import SparkSession

import engine_case as case


def main():
    texts = case.rows()
    wanted = case.expected(texts)
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "256")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    tracker = spark.sparkContext.statusTracker()

    def run():
        frame = spark.createDataFrame(list(enumerate(texts)), ["row", "text"]).repartition(20)
        translated = dragoman.spark.translate(frame, "text", to="en", local=case.LOCAL, local_flags=case.FLAGS)
        return [(row["row"], row["translation"]) for row in translated.select("row", "translation").collect()]

    def is_under_way():
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        return any(stage is not None and stage.numCompletedTasks >= 4 and stage.numTasks == 20 for stage in stages)

    def disturbed(disturb):
        def once_started():
            case.wait_for(is_under_way, "tasks of Spark")
            disturb()

        return case.during(run, once_started)

    def kill_executor():
        executors = case.processes("CoarseGrainedExecutorBackend", spark.sparkContext.applicationId)
        os.kill(executors[0], signal.SIGKILL)

    case.check("Spark", run(), texts, wanted)
    case.check("Spark, daemon killed", disturbed(case.kill_daemon), texts, wanted)
    case.check("Spark, executor killed", disturbed(kill_executor), texts, wanted)
    spark.stop()


main()

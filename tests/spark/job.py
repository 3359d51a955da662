"""Decide on the files of a folder: `python -m tests.spark.job MASTER FOLDER [LEARNER ASKER]`."""

import sys
from pathlib import Path

from pyspark.sql.functions import col

from selectron import spark

from .stream import ASKER, CLASSES, LEARNER, parts

SETTINGS = {
    "spark__sql__shuffle__partitions": 2,
    "spark__ui__enabled": False,
    "spark__sql__streaming__stateStore__rocksdb__changelogCheckpointing__enabled": True,
    "spark__sql__streaming__noDataMicroBatches__enabled": False,
}


def main(master: str, folder: str, learner: str = LEARNER, asker: str = ASKER) -> None:
    session = spark.session(master, **SETTINGS)
    session.sparkContext.setLogLevel("ERROR")

    def stream(name: str):
        schema = session.read.parquet(f"{folder}/{name}").schema
        reader = session.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        return reader.parquet(f"{folder}/{name}")

    items, chosen = stream("items"), parts(learner, asker)
    decided = spark.decide(
        items,
        key="user",
        order="n",
        classes=CLASSES,
        columns=[name for name in items.columns if name[0] == "x"],
        learner=chosen[0],
        asker=chosen[1],
        labels=stream("labels"),
    )
    writer = decided.writeStream.format("parquet").option("path", f"{folder}/decided")
    writer = writer.option("checkpointLocation", f"{folder}/checkpoint")
    writer.trigger(availableNow=True).start().awaitTermination()
    states = session.read.format("statestore").option("stateVarName", "model")
    states = states.load(f"{folder}/checkpoint")
    states = states.select(col("key.k0").alias("user"), col("value.state").alias("state"))
    states.toPandas().to_parquet(Path(folder, "states.parquet"))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What was measured of an embedding model behind an endpoint, kept so that a start needs no answer from it."""

from dataclasses import dataclass

from chalicelib.mind.ranking import Calibration
from chalicelib.mind.rows import Delete, Put
from chalicelib.ports import Table
from chalicelib.records import keys


@dataclass(frozen=True, slots=True)
class Embedders:
    """Dimension and calibration of models, by a name that tells one from any other."""

    table: Table

    def get(self, name: str) -> tuple[int, Calibration] | None:
        """What was measured; None if nothing was."""
        key = keys.embedder(name)
        row = self.table.get([key]).get(key)
        return (row.data["dimension"], Calibration(row.data["floor"], row.data["ceiling"])) if row else None

    def keep(self, name: str, dimension: int, found: Calibration) -> None:
        """Keep what was measured."""
        data = {"dimension": dimension, "floor": found.floor, "ceiling": found.ceiling}
        self.table.commit([Put(keys.embedder(name), data)])

    def forget(self, name: str) -> None:
        """Measure it anew the next time."""
        self.table.commit([Delete(keys.embedder(name))])

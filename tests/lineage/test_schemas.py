"""The pinned schemas: loaded by digest, proved against the official files where those are present."""

import importlib.util
import re
import shutil
from pathlib import Path

import orjson
import pytest

from streamt_ol.ground.resources import schemas_folder
from streamt_ol.lineage.schemas import (
    FacetSchema,
    FacetUnknownError,
    OpenLineageSchemas,
    SchemaPinError,
    SchemaUnreadableError,
)

CHECKOUT = Path(__file__).resolve().parents[2]
OFFICIAL = CHECKOUT.parent / "shared" / "openlineage-1.53.0"
PACKAGED = schemas_folder() / "openlineage" / "1.53.0"
official_present = pytest.mark.skipif(not OFFICIAL.is_dir(), reason=f"no official schemas at {OFFICIAL}")


def load_tool():
    spec = importlib.util.spec_from_file_location("render_schemas", CHECKOUT / "tools" / "render_schemas.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = load_tool()


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(PACKAGED, tmp_path / "schemas"))


def repinned(folder, name, document):
    """Write another document in place of a rendering, with pins that fit."""
    content = orjson.dumps(document)
    pins = orjson.loads((folder / "pins.json").read_bytes())
    for pin in pins["schemas"]:
        if pin["file"] == name:
            pin["id"], pin["rendering"] = document["$id"], TOOL.pin(content)
    (folder / name).write_bytes(content)
    (folder / "pins.json").write_bytes(orjson.dumps(pins))


def test_the_packaged_schemas_are_those_of_one_release():
    schemas = OpenLineageSchemas.packaged()

    assert schemas.release == "1.53.0"
    assert schemas.core_id == "https://openlineage.io/spec/2-0-2/OpenLineage.json"
    assert (
        schemas.event_url("JobEvent") == "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent"
    )
    assert sorted(schemas.documents) == [
        "https://openlineage.io/spec/2-0-2/OpenLineage.json",
        "https://openlineage.io/spec/facets/1-0-1/DatasetTypeDatasetFacet.json",
        "https://openlineage.io/spec/facets/1-0-1/ErrorMessageRunFacet.json",
        "https://openlineage.io/spec/facets/1-0-1/OwnershipDatasetFacet.json",
        "https://openlineage.io/spec/facets/1-0-1/OwnershipJobFacet.json",
        "https://openlineage.io/spec/facets/1-1-0/DocumentationDatasetFacet.json",
        "https://openlineage.io/spec/facets/1-1-0/DocumentationJobFacet.json",
        "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json",
        "https://openlineage.io/spec/facets/2-0-4/JobTypeJobFacet.json",
    ]


def test_entity_and_key_of_each_facet_are_derived_from_its_document():
    facets = OpenLineageSchemas.packaged().facets

    assert sorted(facets) == [
        ("dataset", "datasetType"),
        ("dataset", "documentation"),
        ("dataset", "ownership"),
        ("dataset", "schema"),
        ("job", "documentation"),
        ("job", "jobType"),
        ("job", "ownership"),
        ("run", "errorMessage"),
    ]
    assert facets["job", "ownership"] == FacetSchema(
        key="ownership",
        id="https://openlineage.io/spec/facets/1-0-1/OwnershipJobFacet.json",
        definition="https://openlineage.io/spec/facets/1-0-1/OwnershipJobFacet.json#/$defs/OwnershipJobFacet",
        entity="job",
    )


def test_each_facet_leads_back_to_the_document_that_names_its_key():
    schemas = OpenLineageSchemas.packaged()

    for (entity, key), facet in schemas.facets.items():
        document = schemas.documents[facet.id]
        assert (facet.entity, facet.key, document["$id"]) == (entity, key, facet.id)
        assert facet.definition == facet.id + document["properties"][key]["$ref"]


def test_the_facets_of_an_entity_are_its_own():
    keys = {
        entity: sorted(facet.key for facet in OpenLineageSchemas.packaged().facets_of(entity))
        for entity in ("dataset", "job", "run")
    }

    assert keys == {
        "dataset": ["datasetType", "documentation", "ownership", "schema"],
        "job": ["documentation", "jobType", "ownership"],
        "run": ["errorMessage"],
    }


@pytest.mark.parametrize("name", sorted(path.name for path in PACKAGED.glob("*Facet.json")))
def test_a_rendering_of_another_size_is_refused(folder, name):
    with (folder / name).open("ab") as file:
        file.write(b" ")

    with pytest.raises(SchemaPinError, match=rf"{name} has \d+ bytes, \d+ are pinned") as refusal:
        OpenLineageSchemas.load(folder)
    assert refusal.value.code == "E506_OPENLINEAGE_INVALID"
    assert refusal.value.location == "openlineage.schemas"
    assert refusal.value.place.file == str(folder / name)


def test_a_rendering_of_equal_size_and_other_content_is_refused(folder):
    path = folder / "OpenLineage.json"
    path.write_bytes(path.read_bytes().replace(b'"date-time"', b'"date-tims"'))

    with pytest.raises(
        SchemaPinError, match=re.escape("OpenLineage.json has another SHA-256 than the pinned one")
    ):
        OpenLineageSchemas.load(folder)


def test_a_digest_is_checked_before_anything_is_parsed(folder):
    path = folder / "OpenLineage.json"
    path.write_bytes(b"{" * path.stat().st_size)

    with pytest.raises(SchemaPinError, match="another SHA-256"):
        OpenLineageSchemas.load(folder)


@pytest.mark.parametrize("name", ["pins.json", "SchemaDatasetFacet.json"])
def test_a_missing_file_is_refused_by_its_name(folder, name):
    (folder / name).unlink()

    with pytest.raises(
        SchemaUnreadableError, match=f"cannot read {name}: No such file or directory"
    ) as refusal:
        OpenLineageSchemas.load(folder)
    assert refusal.value.location == "openlineage.schemas"


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"release": "1.53.0", "schemas": [{"id": "x"}]}'])
def test_pins_of_another_shape_are_refused(folder, content):
    (folder / "pins.json").write_bytes(content)

    with pytest.raises(SchemaUnreadableError, match=re.escape("pins.json holds no pins")):
        OpenLineageSchemas.load(folder)


def test_a_document_under_another_id_than_its_own_is_refused(folder):
    text = (folder / "pins.json").read_text()
    (folder / "pins.json").write_text(text.replace("1-2-0/Schema", "1-2-9/Schema"))

    with pytest.raises(
        SchemaPinError, match=re.escape("SchemaDatasetFacet.json has another $id than the pinned one")
    ):
        OpenLineageSchemas.load(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"properties": {}},
        {
            "properties": {
                "a": {"$ref": "#/$defs/SchemaDatasetFacet"},
                "b": {"$ref": "#/$defs/SchemaDatasetFacet"},
            }
        },
        {"properties": {"a": {"$ref": "#/$defs/Gone"}}},
        {"$defs": {"SchemaDatasetFacet": {"allOf": [{"type": "object"}]}}},
        {"$defs": {"SchemaDatasetFacet": {"type": "object"}}},
    ],
)
def test_a_facet_that_cannot_be_derived_is_refused(folder, change):
    name = "SchemaDatasetFacet.json"
    repinned(folder, name, {**orjson.loads((folder / name).read_bytes()), **change})

    with pytest.raises(FacetUnknownError, match=f"{name} does not describe one facet of one entity"):
        OpenLineageSchemas.load(folder)


def test_schemas_without_a_core_are_refused(folder):
    name = "OpenLineage.json"
    repinned(folder, name, {**orjson.loads((folder / name).read_bytes()), "$defs": {}})

    with pytest.raises(FacetUnknownError, match="no pinned schema defines BaseFacet"):
        OpenLineageSchemas.load(folder)


def test_only_annotation_keywords_are_stripped():
    schema = {
        "title": "T",
        "$comment": "C",
        "properties": {
            "description": {"type": "string", "description": "D", "example": "E", "examples": ["E"]},
            "title": {"const": {"title": "kept"}},
            "example": {"enum": [{"example": "kept"}], "default": {"description": "kept"}},
        },
        "$defs": {"examples": {"items": {"title": "T", "type": "object"}}},
    }

    assert TOOL.stripped(schema) == {
        "properties": {
            "description": {"type": "string"},
            "title": {"const": {"title": "kept"}},
            "example": {"enum": [{"example": "kept"}], "default": {"description": "kept"}},
        },
        "$defs": {"examples": {"items": {"type": "object"}}},
    }


def test_the_property_called_description_is_in_the_rendering():
    documents = OpenLineageSchemas.packaged().documents
    document = documents["https://openlineage.io/spec/facets/1-1-0/DocumentationDatasetFacet.json"]

    _, own = document["$defs"]["DocumentationDatasetFacet"]["allOf"]

    assert own == {
        "type": "object",
        "properties": {"description": {"type": "string"}, "contentType": {"type": "string"}},
        "required": ["description"],
    }


def test_a_rendering_is_canonical():
    assert TOOL.canonical({"b": "é", "a": {"d": 1, "c": []}}) == '{"a":{"c":[],"d":1},"b":"é"}\n'.encode()


@official_present
def test_the_committed_renderings_are_proved_by_the_official_files():
    assert TOOL.differences(OFFICIAL) == []


@official_present
def test_a_rendering_that_differs_is_reported(folder):
    content = (folder / "OpenLineage.json").read_bytes()
    (folder / "OpenLineage.json").write_bytes(content.replace(b'"uuid"', b'"uri"'))
    (folder / "Own.json").write_bytes(b"{}")
    (folder / "JobTypeJobFacet.json").unlink()

    assert TOOL.differences(OFFICIAL, folder) == [
        f"JobTypeJobFacet.json: missing from {folder}",
        "OpenLineage.json: is not what the official file renders to",
        "Own.json: no official file renders to it",
    ]


@official_present
def test_an_official_file_of_another_digest_is_reported_although_it_renders_alike(tmp_path):
    official = Path(shutil.copytree(OFFICIAL, tmp_path / "official", copy_function=shutil.copyfile))
    path = official / "OwnershipJobFacet.json"
    path.write_bytes(path.read_bytes() + b"\n")

    assert TOOL.differences(official) == [
        "OwnershipJobFacet.json: the official file has another digest than is pinned"
    ]


@official_present
def test_the_command_reports_by_exit_code(tmp_path, capsys):
    assert TOOL.main(["--check", str(OFFICIAL)]) == 0
    assert capsys.readouterr().out == "every rendering is proved\n"
    assert TOOL.main(["--check", str(tmp_path)]) == 1
    assert "OpenLineage.json: no official file renders to it\n" in capsys.readouterr().out

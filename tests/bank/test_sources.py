"""Other banks: by path, by an installed package, and what is refused."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from bank.bank import Bank
from bank.errors import BankError
from bank.sources import DEFAULT, ENVIRONMENT, chosen, installed, load_banks
from kernelseek_tui.cli.bank.banks import bank_rows
from tests.bank.builders import entry_data

Install = Callable[..., Path]


def good(**changes: object) -> dict[str, object]:
    """An entry that breaks no rule."""
    return entry_data(question="How many microseconds does the start of a run take on the host?") | changes


def write(folder: Path, *entries: dict[str, object], name: str = "own.yaml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(yaml.safe_dump(list(entries)), "utf-8")
    return folder


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENVIRONMENT, raising=False)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Installs a distribution with one bank on sys.path, as pip would lay it out."""
    packages = 0

    def made(name: str, value: str, files: dict[str, str], dist: str = "some-banks") -> Path:
        nonlocal packages
        packages += 1
        site = tmp_path / f"site{packages}"
        info = site / f"{dist.replace('-', '_')}-1.2.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(f"[kernelseek.banks]\n{name} = {value}\n")
        for path, text in files.items():
            (site / path).parent.mkdir(parents=True, exist_ok=True)
            (site / path).write_text(text)
        monkeypatch.syspath_prepend(str(site))
        return site

    before = set(sys.modules)
    yield made  # type: ignore[misc]
    for module in set(sys.modules) - before:
        if module.startswith("ksbank"):
            del sys.modules[module]


def test_without_names_it_is_the_shipped_bank() -> None:
    assert load_banks() is load_banks()
    assert load_banks().entries == Bank.load().entries
    assert load_banks([DEFAULT]) is load_banks()


def test_a_path_replaces_the_shipped_bank_and_default_brings_it_back(tmp_path: Path) -> None:
    folder = write(tmp_path / "own", good())
    assert [one.id for one in load_banks([folder]).entries] == ["kq-host-901"]
    both = load_banks([DEFAULT, folder])
    shipped = Bank.load()
    assert [one.id for one in both.entries] == [*(one.id for one in shipped.entries), "kq-host-901"]
    assert both.version not in (shipped.version, load_banks([folder]).version)
    assert both.files["kq-host-901"] == str(folder / "own.yaml")
    assert load_banks([folder, folder]).entries == load_banks([folder]).entries


def test_a_result_is_kept_until_a_file_changes(tmp_path: Path) -> None:
    folder = write(tmp_path / "own", good())
    first = load_banks([folder])
    assert load_banks([folder]) is first
    other = "By what factor is a warm call faster than a cold one, in the slowest scenarios?"
    write(folder, good(id="kq-host-902", question=other), name="more.yaml")
    assert len(load_banks([folder]).entries) == 2


def test_the_environment_names_banks_where_nothing_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = write(tmp_path / "one", good())
    two = write(tmp_path / "two", good(id="kq-host-902"))
    monkeypatch.setenv(ENVIRONMENT, os.pathsep.join((str(one), str(two))))
    assert [entry.id for entry in load_banks().entries] == ["kq-host-901", "kq-host-902"]
    assert load_banks([DEFAULT]).entries == Bank.load().entries
    assert [source.name for source in chosen((), {})] == [DEFAULT]


def test_an_id_of_two_banks_is_refused_with_both_files(tmp_path: Path) -> None:
    one, two = write(tmp_path / "one", good()), write(tmp_path / "two", good())
    with pytest.raises(BankError) as refused:
        load_banks([one, two])
    text = str(refused.value)
    assert str(one / "own.yaml") in text
    assert str(two / "own.yaml") in text
    assert "kq-host-901" in text


def test_a_bank_that_breaks_a_rule_is_refused_and_the_first_is_named(tmp_path: Path) -> None:
    leaking = good(id="kq-host-902", question="Since the softmax waits, how many microseconds is it?")
    folder = write(tmp_path / "own", good(), leaking)
    with pytest.raises(BankError) as refused:
        load_banks([DEFAULT, folder])
    text = str(refused.value)
    assert text.startswith(f"{folder}, entry kq-host-902: ")
    assert "Q04, and 1 more); see" in text
    assert f"`kernelseek bank lint {folder}`" in text
    assert refused.value.exit_code == 3
    assert "\n" not in text


def test_warnings_are_allowed(tmp_path: Path) -> None:
    # no number is asked for: Q10 warns
    folder = write(tmp_path / "own", good(question="Where does the host wait?"))
    assert len(load_banks([folder]).entries) == 1


def test_what_is_no_bank_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BankError, match="neither a file nor a folder"):
        load_banks([tmp_path / "none"])
    with pytest.raises(BankError, match="unknown key"):
        load_banks([write(tmp_path / "bad", good() | {"answer": "x"})])


TEXT = yaml.safe_dump([good(id="kq-lab-001")])


@pytest.mark.parametrize(
    ("value", "files"),
    [
        ("ksbank_a", {"ksbank_a/__init__.py": "", "ksbank_a/own.yaml": TEXT}),
        ("ksbank_b", {"ksbank_b/__init__.py": "", "ksbank_b/entries/own.yaml": TEXT}),
        ("ksbank_c", {"ksbank_c/own.yaml": TEXT}),
        (
            "ksbank_d:FOLDER",
            {
                "ksbank_d.py": "from pathlib import Path\nFOLDER = Path(__file__).parent / 'ksbank_data'\n",
                "ksbank_data/own.yaml": TEXT,
            },
        ),
        (
            "ksbank_e:FOLDER",
            {
                "ksbank_e/__init__.py": "from importlib.resources import files\nFOLDER = files('ksbank_e')\n",
                "ksbank_e/own.yaml": TEXT,
            },
        ),
        (
            "ksbank_f:FOLDER",
            {
                "ksbank_f.py": "import os\nFOLDER = os.path.join(os.path.dirname(__file__), 'ksbank_g')\n",
                "ksbank_g/own.yaml": TEXT,
            },
        ),
    ],
)
def test_a_package_offers_a_bank(install: Install, value: str, files: dict[str, str]) -> None:
    site = install("lab", value, files)
    (source,) = [source for source in installed() if source.name == "lab"]
    assert source.where == f"some-banks 1.2 ({value})"
    bank = load_banks(["lab"])
    assert [one.id for one in bank.entries] == ["kq-lab-001"]
    assert bank.files["kq-lab-001"].startswith(str(site))
    assert load_banks().entries == Bank.load().entries  # only where it is named


def test_a_package_in_an_archive_offers_a_bank(
    tmp_path: Path, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("ksbank_z/__init__.py", "")
        archive.writestr("ksbank_z/own.yaml", TEXT)
    monkeypatch.syspath_prepend(str(tmp_path / "packed.zip"))
    install("packed", "ksbank_z", {})
    assert [one.id for one in load_banks(["packed"]).entries] == ["kq-lab-001"]


@pytest.mark.parametrize(
    ("value", "files", "sentence"),
    [
        ("ksbank_none:X", {}, "ModuleNotFoundError"),
        ("ksbank_h:X", {"ksbank_h.py": ""}, "AttributeError"),
        ("ksbank_i:X", {"ksbank_i.py": "1/0\n"}, "ZeroDivisionError"),
        ("ksbank_j:X", {"ksbank_j.py": "X = 3\n"}, "a value of type int is no path and no package"),
        ("ksbank_k", {"ksbank_k/readme.txt": ""}, "it holds no *.yaml file"),
        ("ksbank_n:X", {"ksbank_n.py": "import sys\nsys.exit(0)\n"}, "SystemExit: 0"),
        ("ksbank_o:X", {"ksbank_o.py": "class Own(BaseException): pass\nraise Own('mine')\n"}, "Own: mine"),
        ("ksbank_p:X", {"ksbank_p.py": "raise GeneratorExit\n"}, "GeneratorExit"),
        (
            "ksbank_q:X",
            {"ksbank_q.py": "class Own(Exception):\n def __str__(self): raise SystemExit\nraise Own\n"},
            "Own: it cannot say why",
        ),
        ("ksbank_r:X", {"ksbank_r.py": "raise ValueError('x\\n' * 20_000)\n"}, "ValueError: x x x"),
        (
            "ksbank_s:X",
            {"ksbank_s.py": "class X:\n name = 1\n def __getattr__(self, n): return 1\nX = X()\n"},
            "TypeError",
        ),
    ],
)
def test_a_broken_package_is_one_sentence(
    install: Install, value: str, files: dict[str, str], sentence: str
) -> None:
    install("lab", value, files)
    assert load_banks().entries  # it does no harm where it is not named
    with pytest.raises(BankError) as refused:
        load_banks(["lab"])
    assert f"the bank lab ({value}) could not be loaded" in str(refused.value)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300
    # Nor does it keep the others from being listed.
    rows = {row.name: row for row in bank_rows()}
    assert rows["lab"].state == "refused"
    assert rows[DEFAULT].state == "ok"


def test_an_interruption_is_none_of_the_packages_faults(install: Install) -> None:
    install("lab", "ksbank_t:X", {"ksbank_t.py": "raise KeyboardInterrupt\n"})
    with pytest.raises(KeyboardInterrupt):
        load_banks(["lab"])


def test_what_a_package_prints_is_dropped(install: Install, capfd: pytest.CaptureFixture[str]) -> None:
    loud = "import sys\nprint('loud')\nprint('loud', file=sys.stderr)\nsys.stdout.buffer.write(b'loud')\n"
    install("lab", "ksbank_u", {"ksbank_u/__init__.py": loud, "ksbank_u/own.yaml": TEXT})
    assert [one.id for one in load_banks(["lab"]).entries] == ["kq-lab-001"]
    assert capfd.readouterr() == ("", "")


def test_a_path_of_a_packages_own_kind_is_only_a_path(install: Install) -> None:
    own = (
        "from pathlib import Path, PosixPath\n"
        "class Own(PosixPath):\n"
        "    def is_dir(self): raise SystemExit(0)\n"
        "    def stat(self, **_): raise SystemExit(0)\n"
        "X = Own(Path(__file__).parent / 'ksbank_vv')\n"
    )
    install("lab", "ksbank_v:X", {"ksbank_v.py": own, "ksbank_vv/own.yaml": TEXT})
    (source,) = chosen(["lab"])
    assert type(source.path()) is type(Path())
    assert [one.id for one in load_banks(["lab"]).entries] == ["kq-lab-001"]


_MADE = """
import io
class File:
    def __init__(self, name): self.name = name
    def open(self, mode="r", *args, **kwargs): return io.BytesIO({text!r}.encode())
    def is_file(self): return True
    def is_dir(self): return False
    def iterdir(self): return iter(())
    def joinpath(self, *names): return self
    __truediv__ = joinpath
    def read_bytes(self): return self.open().read()
    def read_text(self, encoding=None): return self.read_bytes().decode()
class Folder(File):
    def iterdir(self): return iter([File(name) for name in {names!r}])
X = Folder("all")
"""


def test_a_package_writes_nothing_outside_its_folder(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deep" / "temporary").mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "deep" / "temporary"))
    for number, name in enumerate(["../../EVIL.yaml", f"{tmp_path}/EVIL.yaml", "a/EVIL.yaml", "a\0.yaml"]):
        module = f"ksbank_w{number}"
        install(module, f"{module}:X", {f"{module}.py": _MADE.format(text=TEXT, names=[name])})
        with pytest.raises(BankError, match="the name of one of its files is none"):
            load_banks([module])
    assert not list(tmp_path.rglob("*EVIL*"))
    install("twice", "ksbank_x:X", {"ksbank_x.py": _MADE.format(text=TEXT, names=["a.yaml"] * 2)})
    with pytest.raises(BankError, match="two of its files have one name"):
        load_banks(["twice"])
    install("good", "ksbank_y:X", {"ksbank_y.py": _MADE.format(text=TEXT, names=["a.yaml", "b.txt"])})
    assert [one.id for one in load_banks(["good"]).entries] == ["kq-lab-001"]


@pytest.mark.parametrize("name", ["~nobody-of-this-name/bank", "x" * 5_000, "./" + "y/" * 3_000])
def test_a_path_that_can_be_none_is_a_short_sentence(name: str) -> None:
    (source,) = chosen([name])
    for use in (source.path, lambda: load_banks([name])):
        with pytest.raises(BankError, match=r"name the path in full|cannot be read \(") as refused:
            use()
        assert len(str(refused.value)) < 400
    assert bank_rows([name])[-1].state == "refused"


def test_a_name_that_two_packages_offer_is_refused(install: Install) -> None:
    files = {"ksbank_l/__init__.py": "", "ksbank_l/own.yaml": TEXT}
    install("lab", "ksbank_l", files)
    install("lab", "ksbank_l", files, dist="other-banks")
    with pytest.raises(BankError, match=r"two packages offer a bank named lab: .*some-banks") as refused:
        load_banks(["lab"])
    assert "other-banks" in str(refused.value)


def test_no_package_replaces_the_shipped_bank(install: Install) -> None:
    install("default", "ksbank_m", {"ksbank_m/__init__.py": "", "ksbank_m/own.yaml": TEXT})
    assert load_banks([DEFAULT]).entries == Bank.load().entries
    assert [source.where for source in installed() if source.name == DEFAULT] == ["shipped"]

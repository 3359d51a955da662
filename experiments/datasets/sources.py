"""Public homes of the data files, and their SHA-256.

The checksums are those of the files as they lie in the repositories named here, of LIBSVM's own
files (for a9a), and otherwise those that scikit-learn publishes (20 Newsgroups in its sources,
Reuters-21578 in its example of out-of-core learning), and MLDatasets.jl (SMS). RCV1 and Isolet are
fetched by scikit-learn, which compares checksums of its own or OpenML's.
"""

from typing import NamedTuple

GITHUB = "https://raw.githubusercontent.com"
DRIFT = f"{GITHUB}/vlosing/driftDatasets/master/realWorld"
SHUTTLE = f"{GITHUB}/ljewett/one-hot-and-ready/c3c0422a7d74389dd713eac23c17b087090b214b"
MULTIFLOW = f"{GITHUB}/ogozuacik/concept-drift-datasets-scikit-multiflow"
LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"


class Source(NamedTuple):
    """Where a file is, and what its bytes sum up to."""

    url: str
    sha256: str


SOURCES = {
    "usps/usps.h5": Source(
        f"{GITHUB}/niuers/Learning-From-Data-A-Short-Course/"
        "35684e893b63bf4039bafcc6d34fe935851baf9a/data/usps.h5",
        "734f88c541104a956d88be2c95d03b4a463ffd74ccc2ba9c80841fb98e3fcb36",
    ),
    "letter/letter-recognition.data": Source(
        f"{GITHUB}/davidgasquez/letter-recognition/"
        "2735ea914041060ca6e28fd38bfe7071f2e54ee9/letter-recognition.data",
        "9b63b12c9425f919cf32a4de0ffbbef25960ddeced6a0c15fc8cf2dbb530b403",
    ),
    "shuttle/shuttle.trn.csv": Source(
        f"{SHUTTLE}/shuttle.trn",
        "bb354db94b6054503d224ed2fd0c420d64c308b0d10ad6a48d7b7ada1a5a57a0",
    ),
    "shuttle/shuttle.tst.csv": Source(
        f"{SHUTTLE}/shuttle.tst",
        "8692133c3b7fc05b003a20042c8d5762eb5a11410745fe0fd727c3deb0d3f81c",
    ),
    "newsgroups20/20news-bydate.tar.gz": Source(
        "https://ndownloader.figshare.com/files/5975967",
        "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
    ),
    "reuters21578/reuters21578.tar.gz": Source(
        "https://archive.ics.uci.edu/ml/machine-learning-databases/reuters21578-mld/"
        "reuters21578.tar.gz",
        "3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30",
    ),
    "elec2/elec2_data.dat": Source(
        f"{DRIFT}/Elec2/elec2_data.dat",
        "f96f3b096a5318c1dab465f9c64b50824f751d651a13b864137cfefac6a6bef2",
    ),
    "elec2/elec2_label.dat": Source(
        f"{DRIFT}/Elec2/elec2_label.dat",
        "769805ed2f942698b72bb6398d1f685ddd2c8b01213334658df709466890c154",
    ),
    "weather/NEweather_data.csv": Source(
        f"{DRIFT}/weather/NEweather_data.csv",
        "e38ef95890ec0df3daee0493e92e59c38ae1c27cd01c4805367f189d52dfeed9",
    ),
    "weather/NEweather_class.csv": Source(
        f"{DRIFT}/weather/NEweather_class.csv",
        "90f39b754a9c95fc34047beb41752ebeb6fa1cde4e2d03fad3d3c5a46aee360f",
    ),
    "sms_spam/sms+spam+collection.zip": Source(
        "https://archive.ics.uci.edu/static/public/228/sms+spam+collection.zip",
        "1587ea43e58e82b14ff1f5425c88e17f8496bfcdb67a583dbff9eefaf9963ce3",
    ),
    "a9a/a9a": Source(
        f"{LIBSVM}/a9a", "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906"
    ),
    "a9a/a9a.t": Source(
        f"{LIBSVM}/a9a.t", "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9"
    ),
    "luxembourg_chess/LUdata.csv": Source(
        f"{MULTIFLOW}/476b07df342457cbd993c3821b3a2585133ca1e9/real-world/LUdata.csv",
        "856d5684b4550f8d6c854ef3407b43293c0f8ad9794ec3a04dff675ade6b989f",
    ),
    "luxembourg_chess/chessweka.csv": Source(
        f"{MULTIFLOW}/e1ab78419035727308c709f412182518a7a32b96/real-world/chessweka.csv",
        "73b7c9402b67684e2283a526ca3dea35e5e5060598c5cd54b32727fb0b1122e9",
    ),
}

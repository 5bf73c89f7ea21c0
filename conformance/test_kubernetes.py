# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The manifests of examples/kubernetes: valid by Kubernetes' own schemas, without root, and one in their ports."""

import kubernetes_validate
import pytest
import yaml
from conftest import ROOT

FOLDER = ROOT / "examples" / "kubernetes"
PODS = ["driver", "executor"]


def manifest(name):
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text())


def settings():
    lines = (FOLDER / "spark-defaults.conf").read_text().splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("#"))


@pytest.mark.parametrize("version", ["1.31", "1.37"])
@pytest.mark.parametrize("name", [*PODS, "network-policy"])
def test_schema(name, version):
    kubernetes_validate.validate(manifest(name), version, strict=True)


def test_the_schema_refuses_what_is_wrong():
    wrong = manifest("driver")
    wrong["spec"]["containers"][0]["volumeMount"] = []
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, "1.37", strict=True)


@pytest.mark.parametrize("name", PODS)
def test_pods(name):
    pod = manifest(name)
    (container,) = pod["spec"]["containers"]
    assert pod["spec"]["securityContext"]["runAsNonRoot"] and pod["spec"]["securityContext"]["runAsUser"] > 0
    assert container["securityContext"] == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume["emptyDir"] for volume in pod["spec"]["volumes"]}
    assert volumes[mounts["/dev/shm"]]["medium"] == "Memory"
    assert container["name"] == settings()[f"spark.kubernetes.{name}.podTemplateContainerName"]
    assert settings()[f"spark.kubernetes.{name}.podTemplateFile"] == f"{name}.yaml"
    # Else the kernel would end the pod where the store fills its volume.
    held = volumes[mounts["/dev/shm"]]["sizeLimit"].removesuffix("Gi")
    assert settings()[f"spark.{name}.memoryOverhead"] == f"{held}g"


def test_the_policy_lets_the_ports_of_the_settings_in():
    policy, found = manifest("network-policy")["spec"], settings()
    (rule,) = policy["ingress"]
    assert rule["from"] == [{"podSelector": policy["podSelector"]}]
    assert all(manifest(pod)["metadata"]["labels"] == policy["podSelector"]["matchLabels"] for pod in PODS)
    open_ports = {(port["port"], port["endPort"]) for port in rule["ports"]}
    spark = (int(found["spark.driver.port"]), int(found["spark.blockManager.port"]))
    mpiexec = tuple(map(int, found["spark.kubernetes.driverEnv.MPIEXEC_PORT_RANGE"].split(":")))
    ranks = tuple(map(int, found["spark.executorEnv.UCX_TCP_PORT_RANGE"].split("-")))
    assert {spark, mpiexec, ranks} < open_ports

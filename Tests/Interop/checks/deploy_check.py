"""deploy_check COMPOSE NODES PROXY MONITORING: the files of deploy/ name what the program has; its words are in options, metrics, version."""
import pathlib
import re
import sys

import promql_parser
import yaml

faults = []
compose, *rest = (pathlib.Path(name) for name in sys.argv[1:])
objects = [each for file in rest for each in yaml.safe_load_all(file.read_text())]
options = set(re.findall(r"--[a-z-]+", pathlib.Path("options").read_text()))
metrics = set(re.findall(r"(?m)^# TYPE (\w+) ", pathlib.Path("metrics").read_text())) | {"up"}
image = "counterfoil:" + pathlib.Path("version").read_text().split()[-1]


def hold(condition, words):
    if not condition:
        faults.append(words)


def seconds(text):
    return int(re.fullmatch(r"(\d+)s", text)[1])


def hold_arguments(place, arguments, grace, found_image):
    used = {argument.partition("=")[0] for argument in arguments if argument.startswith("--")}
    hold(used <= options, f"{place}: found {', '.join(sorted(used - options))}, expected options of `counterfoil serve`")
    drain = seconds(next((argument.partition("=")[2] for argument in arguments if argument.startswith("--drain=")), "30s"))
    hold(seconds(grace) > drain, f"{place}: found {'terminationGracePeriodSeconds' if place == 'StatefulSet' else 'stop_grace_period'} {grace}, expected more than --drain, {drain}s")
    hold(found_image == image, f"{place}: found the image {found_image}, expected {image}")


# Compose: the nodes' names are those by which the proxy finds them, and only they and the proxy are in the profile.
services = yaml.safe_load(compose.read_text())["services"]
for name, service in services.items():
    if "command" in service:
        hold_arguments(name, service["command"], service["stop_grace_period"], service["image"])
    hold(("profiles" in service) == (name != "bank"), f"{name}: found the profiles {service.get('profiles')}, expected some of the nodes and the proxy alone")
nodes = {name: service for name, service in services.items() if "--node" in service.get("command", [])}
hold(services["proxy"]["depends_on"] == list(nodes), f"proxy: found that it starts {services['proxy']['depends_on']}, expected every node")
for name, service in nodes.items():
    hold(service["command"][service["command"].index("--node") + 1] == name, f"{name}: found {service['command']}, expected --node {name}")
    hold("nodes" in service["networks"]["default"]["aliases"], f"{name}: found no alias «nodes», expected it")
    hold(service["volumes"] == [f"{name}:/state"], f"{name}: found the volumes {service['volumes']}, expected one of its own")
hold(len(nodes) == 3, f"found the nodes {', '.join(nodes)}, expected three")

# Kubernetes: the names in one object are those of another.
of_kind = {}
for each in objects:
    of_kind.setdefault(each["kind"], []).append(each)
stateful, deployment = of_kind["StatefulSet"][0], of_kind["Deployment"][0]
names = {service["metadata"]["name"] for service in of_kind["Service"]}
hold(stateful["spec"]["serviceName"] in names, f"StatefulSet: found the Service {stateful['spec']['serviceName']}, expected one of {', '.join(sorted(names))}")
pod = stateful["spec"]["template"]["spec"]
(container,) = pod["containers"]
hold_arguments("StatefulSet", container["args"], f"{pod['terminationGracePeriodSeconds']}s", container["image"])
probes = {probe: container[probe]["httpGet"]["path"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")}
hold(probes == {"startupProbe": "/livez", "livenessProbe": "/livez", "readinessProbe": "/readyz"}, f"StatefulSet: found the probes {probes}")
proxy = {each["name"]: each["value"] for each in deployment["spec"]["template"]["spec"]["containers"][0]["env"]}
hold(proxy["COUNTERFOIL_NODE"] == stateful["metadata"]["name"] + "-", f"Deployment: found the nodes' hosts {proxy['COUNTERFOIL_NODE']}2, expected those of the StatefulSet")
hold(proxy["COUNTERFOIL_DOMAIN"].split(".")[1] in names and proxy["COUNTERFOIL_NODES"].split(".")[0] in names, f"Deployment: found {proxy}, expected names of Services")
labels = stateful["spec"]["template"]["metadata"]["labels"]
for each in of_kind["PodDisruptionBudget"] + of_kind["PodMonitor"]:
    hold(each["spec"]["selector"]["matchLabels"].items() <= labels.items(), f"{each['kind']}: found a selector that selects no node")

# No container runs as root, keeps a right, or writes to its image: neither the bank's nor the proxy's.
for name, service in services.items():
    confined = (int(service.get("user", "0").split(":")[0]) > 0, service.get("read_only"), service.get("cap_drop"), service.get("security_opt"))
    hold(confined == (True, True, ["ALL"], ["no-new-privileges:true"]), f"{name}: found a container with rights, expected none: {confined}")
for each in (stateful, deployment):
    spec = each["spec"]["template"]["spec"]
    own = spec.get("securityContext", {})
    hold(own.get("runAsNonRoot") and own.get("runAsUser", 0) > 0 and own.get("seccompProfile") == {"type": "RuntimeDefault"} and
         spec.get("automountServiceAccountToken") is False, f"{each['kind']}: found a pod with rights, expected none: {own}")
    for inner in spec["containers"]:
        hold(inner.get("securityContext") == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}},
             f"{each['kind']}: found a container with rights, expected none: {inner.get('securityContext')}")

# Prometheus: rules that it can read, about metrics that there are.
for group in of_kind["PrometheusRule"][0]["spec"]["groups"]:
    for rule in group["rules"]:
        try:
            promql_parser.parse(rule["expr"])
        except ValueError as error:
            hold(False, f"{rule['alert']}: {error}")
        unknown = set(re.findall(r"\b(?:up|counterfoil_\w+|process_\w+)\b", rule["expr"])) - metrics
        hold(not unknown, f"{rule['alert']}: found {', '.join(sorted(unknown))} , expected a metric of /__admin/metrics")
        hold(rule["annotations"]["summary"] and rule["labels"]["severity"], f"{rule['alert']}: found no summary or severity")
print("\n".join(faults))
sys.exit(bool(faults))

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;
import org.opensearch.transport.TransportService;

/** One node of OpenSearch for tests: `OpenSearchNode name directory httpPort transportPort [seed]`; port 0 lets the system choose. */
public final class OpenSearchNode extends Node {
  private OpenSearchNode(Settings settings, String name) {
    super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> name), List.of(Netty4Plugin.class), true);
  }

  public static void main(String[] args) throws Exception {
    String name = args[0];
    Path directory = Path.of(args[1]);
    boolean isFirst = args.length < 5;
    Settings.Builder settings = Settings.builder()
        .put("cluster.name", "wishwell-test")
        .put("node.name", name)
        .put("path.home", directory.toString())
        .put("path.data", directory.resolve("data").toString())
        .put("path.logs", directory.resolve("logs").toString())
        .put("http.port", args[2])
        .put("transport.port", args[3])
        .put("transport.type", "netty4")
        .put("http.type", "netty4")
        // The second one holds data only, so that the cluster outlives it.
        .putList("node.roles", isFirst ? List.of("cluster_manager", "data", "ingest") : List.of("data"))
        .put("cluster.routing.allocation.disk.threshold_enabled", false)
        .put("cluster.fault_detection.follower_check.interval", "200ms")
        .put("cluster.fault_detection.follower_check.timeout", "2s")
        .put("cluster.fault_detection.follower_check.retry_count", 2);
    if (isFirst) settings.putList("cluster.initial_cluster_manager_nodes", name).putList("discovery.seed_hosts");
    else settings.putList("discovery.seed_hosts", args[4]);
    Node node = new OpenSearchNode(settings.build(), name).start();
    int http = node.injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().getPort();
    int transport = node.injector().getInstance(TransportService.class).boundAddress().publishAddress().getPort();
    System.out.println("{\"http\":" + http + ",\"transport\":" + transport + "}");
    // It ends with the process that started it, also when that is killed: the other end of its input is closed then.
    while (System.in.read() != -1) {
    }
    Runtime.getRuntime().halt(0);
  }
}

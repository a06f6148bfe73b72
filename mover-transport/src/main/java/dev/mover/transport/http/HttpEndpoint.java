package dev.mover.transport.http;

import dev.mover.transport.link.ListenAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.resources.LoopResources;

/**
 * Answers GET (and HEAD) on a fixed set of paths. Handlers run on a small pool of this endpoint, so
 * they may block; when all its threads are busy and its queue is full, the answer is 503. A handler
 * that throws answers 500 and is logged. A request body is not read; a request line or header
 * beyond Reactor Netty's limits (4 and 8 KiB) is refused by it.
 */
public final class HttpEndpoint implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpEndpoint.class);

  /** Health and statistics are read by a few watchers, not by crowds. */
  private static final int THREADS = 2;

  private static final int WAITING = 16;

  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(5);

  private final Map<String, Supplier<HttpReply>> routes;
  private final LoopResources loops;
  private final ThreadPoolExecutor handlers =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          10,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(WAITING),
          Thread.ofPlatform().daemon().name("mover-http-handler-", 0).factory());
  private final DisposableServer socket;

  private HttpEndpoint(
      InetSocketAddress local, LoopResources loops, Map<String, Supplier<HttpReply>> routes) {
    this.loops = loops;
    this.routes = Map.copyOf(routes);
    socket =
        HttpServer.create()
            .bindAddress(() -> local)
            .runOn(loops, true)
            .handle(
                (request, response) ->
                    answer(request.method().name(), request.fullPath(), response))
            .bindNow();
  }

  /**
   * Listens on {@code host} and {@code port} (0: any free one). Blocks until it does.
   *
   * @param routes path, with its leading slash, to what answers it
   * @throws dev.mover.api.error.LinkException PORT_IN_USE
   * @throws dev.mover.api.error.InputException BAD_ADDRESS
   */
  public static HttpEndpoint bind(String host, int port, Map<String, Supplier<HttpReply>> routes) {
    ListenAddress address = new ListenAddress(host, port);
    InetSocketAddress local = address.resolve();
    LoopResources loops = LoopResources.create("mover-http", 1, 1, true);
    try {
      return new HttpEndpoint(local, loops, routes);
    } catch (RuntimeException e) {
      end(loops);
      throw address.refused(e);
    }
  }

  /** Where it listens, with the port it really got. */
  public InetSocketAddress address() {
    return (InetSocketAddress) socket.address();
  }

  /** Stops listening and answers nothing more; a running handler ends by itself. */
  @Override
  public void close() {
    socket.disposeNow(CLOSE_WITHIN);
    handlers.shutdown();
    end(loops);
  }

  private static void end(LoopResources loops) {
    var _ = loops.disposeLater(Duration.ZERO, CLOSE_WITHIN).block(CLOSE_WITHIN.plusSeconds(1));
  }

  private Mono<Void> answer(String method, String path, HttpServerResponse response) {
    boolean head = method.equals("HEAD");
    if (!head && !method.equals("GET")) {
      response.header("Allow", "GET, HEAD");
      return send(HttpReply.text(405, "only GET is answered here\n"), head, response);
    }
    Supplier<HttpReply> handler = routes.get(path);
    if (handler == null) {
      return send(HttpReply.text(404, "nothing here\n"), head, response);
    }
    return Mono.<HttpReply>create(sink -> handle(path, handler, sink))
        .flatMap(reply -> send(reply, head, response));
  }

  private void handle(String path, Supplier<HttpReply> handler, MonoSink<HttpReply> sink) {
    try {
      handlers.execute(() -> sink.success(reply(path, handler)));
    } catch (RejectedExecutionException e) {
      sink.success(HttpReply.text(503, "busy; try again later\n"));
    }
  }

  private static HttpReply reply(String path, Supplier<HttpReply> handler) {
    try {
      return handler.get();
    } catch (RuntimeException e) {
      log.warn("{} failed", path, e);
      return HttpReply.text(500, "failed: " + e.getMessage() + "\n");
    }
  }

  private static Mono<Void> send(HttpReply reply, boolean head, HttpServerResponse response) {
    response.status(reply.status()).header("Content-Type", reply.contentType());
    return head ? response.send() : response.sendString(Mono.just(reply.body())).then();
  }
}

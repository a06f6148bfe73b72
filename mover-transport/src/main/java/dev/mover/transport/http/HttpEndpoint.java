package dev.mover.transport.http;

import dev.mover.api.error.ErrorCode;
import dev.mover.api.error.MoverException;
import dev.mover.api.error.Side;
import dev.mover.transport.link.ListenAddress;
import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.resources.LoopResources;

/**
 * A daemon's HTTP side: answers its {@link HttpRoutes}, and errors as JSON.
 *
 * <p>Handlers run on a small pool of this endpoint, so they may block; when all its threads are
 * busy and its queue is full, the answer is 503. Bounded are: connections (the next one is closed
 * at once), the request line (4 KiB) and headers (8 KiB), the body (64 KiB: 413), the time for a
 * request to arrive and for a handler to answer, and the readers of events. What a web page of
 * another site may have made a browser send is refused: {@link SiteCheck}.
 */
public final class HttpEndpoint implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpEndpoint.class);

  /** A daemon is watched and steered by a few, not by crowds. */
  private static final int THREADS = 4;

  private static final int WAITING = 16;
  static final int MOST_CONNECTIONS = 64;
  private static final int MAX_LINE_BYTES = 4 << 10;
  private static final int MAX_HEADER_BYTES = 8 << 10;

  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(5);

  private final HttpRoutes routes;
  private final HttpTimes times;
  private final SiteCheck site;
  private final HttpIntake intake;
  private final EventStream eventStream;
  private final LoopResources loops;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
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
      InetSocketAddress local,
      SiteCheck site,
      LoopResources loops,
      HttpRoutes routes,
      HttpTimes times) {
    this.site = site;
    this.loops = loops;
    this.routes = routes;
    this.times = times;
    intake = new HttpIntake(times.request());
    eventStream = new EventStream(times);
    socket =
        HttpServer.create()
            .bindAddress(() -> local)
            .runOn(loops, true)
            .idleTimeout(times.request())
            .httpRequestDecoder(
                spec -> spec.maxInitialLineLength(MAX_LINE_BYTES).maxHeaderSize(MAX_HEADER_BYTES))
            .doOnChannelInit((_, channel, _) -> admit(channel))
            .handle(this::serve)
            .bindNow();
  }

  /**
   * Listens on {@code host} and {@code port} (0: any free one). Blocks until it does.
   *
   * @throws dev.mover.api.error.LinkException PORT_IN_USE
   * @throws dev.mover.api.error.InputException BAD_ADDRESS
   */
  public static HttpEndpoint bind(String host, int port, HttpRoutes routes) {
    return bind(host, port, routes, HttpTimes.DEFAULT);
  }

  static HttpEndpoint bind(String host, int port, HttpRoutes routes, HttpTimes times) {
    ListenAddress address = new ListenAddress(host, port);
    InetSocketAddress local = address.resolve();
    LoopResources loops = LoopResources.create("mover-http", 1, 1, true);
    try {
      return new HttpEndpoint(local, SiteCheck.of(host), loops, routes, times);
    } catch (RuntimeException e) {
      end(loops);
      throw address.refused(e);
    }
  }

  /** Where it listens, with the port it really got. */
  public InetSocketAddress address() {
    return (InetSocketAddress) socket.address();
  }

  /** Stops listening, ends every connection; a running handler ends by itself. */
  @Override
  public void close() {
    socket.disposeNow(CLOSE_WITHIN);
    connections.close().awaitUninterruptibly(CLOSE_WITHIN.toMillis());
    handlers.shutdown();
    end(loops);
  }

  private static void end(LoopResources loops) {
    var _ = loops.disposeLater(Duration.ZERO, CLOSE_WITHIN).block(CLOSE_WITHIN.plusSeconds(1));
  }

  /** On the only event loop, so counting and adding can't be split. */
  private void admit(Channel channel) {
    if (connections.size() >= MOST_CONNECTIONS) {
      log.warn("more than {} HTTP connections; one is refused", MOST_CONNECTIONS);
      var _ = channel.close();
    } else {
      connections.add(channel);
    }
  }

  private Publisher<Void> serve(HttpServerRequest request, HttpServerResponse response) {
    boolean head = request.method().name().equals("HEAD");
    return Mono.defer(() -> answer(request))
        .flatMap(answer -> send(answer, head, response))
        .onErrorResume(HttpRefusal.class, e -> refuse(e, head, response));
  }

  private Mono<HttpAnswer> answer(HttpServerRequest request) {
    site.check(request.requestHeaders());
    String method = HttpIntake.verb(request.method().name());
    HttpRoutes.Match match = routes.match(method, HttpIntake.decoder(request).rawPath());
    return intake
        .take(request, match)
        .flatMap(
            whole ->
                Mono.<HttpAnswer>create(sink -> handle(whole, match.handler(), sink))
                    .timeout(times.handler())
                    .onErrorMap(TimeoutException.class, _ -> tooSlow(whole)));
  }

  private static HttpRefusal tooSlow(HttpRequest request) {
    log.warn("{} {} took too long", request.method(), request.path());
    return HttpRefusal.of(
        503, ErrorCode.DEADLINE_PASSED, "the answer took too long; try again later");
  }

  private void handle(HttpRequest request, HttpHandler handler, MonoSink<HttpAnswer> sink) {
    try {
      handlers.execute(() -> sink.success(ask(handler, request)));
    } catch (RejectedExecutionException e) {
      sink.error(HttpRefusal.busy("busy; try again later"));
    }
  }

  private static HttpAnswer ask(HttpHandler handler, HttpRequest request) {
    try {
      return handler.answer(request);
    } catch (MoverException e) {
      return HttpReply.error(e);
    } catch (RuntimeException e) {
      log.error("{} {} failed", request.method(), request.path(), e);
      return HttpReply.error(
          500, ErrorCode.INTERNAL, Side.LINK, "internal error, please report it: " + e);
    }
  }

  private Mono<Void> send(HttpAnswer answer, boolean head, HttpServerResponse response) {
    return switch (answer) {
      case HttpReply reply -> send(reply, head, response);
      case HttpEvents _ when head -> response.sse().send();
      case HttpEvents events -> eventStream.send(events, response);
    };
  }

  /** What is left of a refused request's body is not read: the connection ends with the reply. */
  private static Mono<Void> refuse(HttpRefusal e, boolean head, HttpServerResponse response) {
    return send(e.reply(), head, response.keepAlive(false));
  }

  private static Mono<Void> send(HttpReply reply, boolean head, HttpServerResponse response) {
    response.status(reply.status()).header("Content-Type", reply.contentType());
    reply.headers().forEach(response::header);
    return head ? response.send() : response.sendString(Mono.just(reply.body())).then();
  }
}

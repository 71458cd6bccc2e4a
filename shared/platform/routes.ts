/**
 * Declares one Lambda function that serves several routes with a protocol of its own, such as the authorization server.
 * The routes, the function, its role, the authorizer and the throttling are generated from the declaration.
 */
import type { TokenResource } from '#shared/access/access-token.ts';
import type { ApiAction } from '#shared/access/actions.ts';
import type { ApiActor } from '#shared/access/actor.ts';
import { answerError, type HttpAnswer } from '#shared/engine/http/answer.ts';
import { getRequestId, type RouteEvent } from '#shared/engine/http/event.ts';
import type { Services } from '#shared/services.ts';
import type { Access } from './access.ts';
import { connectOnce } from './connect.ts';
import { type Method, splitRoute } from './declaration.ts';
import { answerHead } from './head.ts';
import { logRequest } from './log.ts';
import { readActor } from './request.ts';

/** With `none`, API Gateway requires no credential. Otherwise, the authorizer checks the credential first. */
export type RoutesCredential = 'none' | { readonly action: ApiAction; readonly resource: TokenResource };

/** Of one route for the whole deployment. */
export interface RouteThrottle {
  readonly requestsPerSecond: number;
  readonly burstRequests: number;
}

interface DeclaredRoute {
  readonly method: Method;
  readonly path: string;
  readonly throttle: RouteThrottle | undefined;
}

export interface RoutesDeclaration {
  /** The name of the source file, in camelCase. */
  readonly name: string;
  readonly routes: readonly DeclaredRoute[];
  readonly credential: RoutesCredential;
  readonly access: Access;
  readonly summary: string;
  readonly memoryMegabytes: number;
  /** §5.3 Whether the function signs access tokens. */
  readonly signs: boolean;
}

interface Specification<Route extends `${Method} /${string}`, Credential extends RoutesCredential>
  extends Omit<RoutesDeclaration, 'routes' | 'signs'> {
  /** Paths at the origin, not below `/v1`. */
  readonly routes: readonly Route[];
  readonly throttles?: Readonly<Partial<Record<NoInfer<Route>, RouteThrottle>>>;
  readonly credential: Credential;
  readonly signs?: boolean;
  /** Answers an error that `handle` throws. Default: an error of §7. */
  readonly answerError?: (error: unknown, event: RouteEvent) => HttpAnswer;
  /** Returns all responses, including errors of its protocol, unless `answerError` makes them. */
  readonly handle: (
    event: RouteEvent,
    services: Services,
    actor: Credential extends 'none' ? undefined : ApiActor,
  ) => Promise<HttpAnswer>;
}

export function routes<const Route extends `${Method} /${string}`, const Credential extends RoutesCredential>({
  handle,
  routes: declaredRoutes,
  throttles,
  signs = false,
  answerError: toErrorAnswer = answerErrorOfApi,
  ...rest
}: Specification<Route, Credential>) {
  const limits: Readonly<Record<string, RouteThrottle | undefined>> = { ...throttles };
  const declaration: RoutesDeclaration = {
    ...rest,
    signs,
    routes: declaredRoutes.map((route) => {
      const [method, path] = splitRoute(route);
      return { method, path, throttle: limits[route] };
    }),
  };
  const connect = connectOnce();
  const { name: operationId, credential } = declaration;

  const handler = async (event: RouteEvent): Promise<HttpAnswer> => {
    const services = connect(getRequestId(event));
    const { meter } = services.table;
    let actor: ApiActor | undefined;
    try {
      actor = credential === 'none' ? undefined : readActor(event);
      // This cast is safe: there is an actor if and only if the declaration requires a credential, but the compiler
      // cannot see this.
      const answer = await handle(event, services, actor as never);
      logRequest({ operationId, event, actor, meter, statusCode: answer.statusCode });
      return answer;
    } catch (error) {
      const errorAnswer = toErrorAnswer(error, event);
      logRequest({ operationId, event, actor, meter, statusCode: errorAnswer.statusCode, error });
      return errorAnswer;
    }
  };

  return Object.assign(answerHead(handler), { routes: declaration });
}

function answerErrorOfApi(error: unknown, event: RouteEvent): HttpAnswer {
  const { statusCode, headers, message } = answerError(error, getRequestId(event));
  return { statusCode, headers, body: message, isBase64Encoded: false };
}

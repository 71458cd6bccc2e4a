/**
 * Finds the route of a request as a REST API does: it matches method and path in one step, and prefers the most
 * specific path.
 *
 * AWS documents only that a specific resource has priority over a generic one. Captures of real REST APIs show what
 * happens if a literal resource does not have the requested method: its `{parameter}` sibling or a `{greedy+}` resource
 * handles the request (https://github.com/floci-io/floci/pull/3399), even a `{greedy+}` resource above its parent
 * (https://github.com/ministackorg/ministack/pull/1423). The captures do not show two cases: a `{parameter}` above the
 * parent, and a greedy resource below a literal that competes with parameters. In these cases, the local gateway
 * prefers literals segment by segment.
 */
import { decodePercent } from './percent-encoding.ts';

export interface Route {
  readonly method: string;
  /** The path as declared, for example `/v1/runs/{runId}`. */
  readonly path: string;
}

export interface FoundRoute<T extends Route> {
  readonly route: T;
  /** URL-decoded values, as functions receive them. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Node<T> {
  /** The name of the parameter whose value the segment contains. Empty for a literal. */
  readonly name: string;
  /** The nodes below this one: a literal by its segment, and the others by `PARAMETER` and `GREEDY`. */
  readonly children: Map<string, Node<T>>;
  readonly methods: Map<string, T>;
}

// A segment cannot be one of these keys, because it contains no slash.
const PARAMETER = '/';
/** A greedy parameter, such as `{path+}`, which matches all remaining segments and requires at least one. */
const GREEDY = '/+';

export type RouteTree<T extends Route> = Node<T>;

const makeNode = <T>(name = ''): Node<T> => ({ name, children: new Map(), methods: new Map() });

export function buildRouteTree<T extends Route>(routes: readonly T[]): RouteTree<T> {
  const root = makeNode<T>();
  for (const route of routes) {
    let node = root;
    for (const segment of route.path.split('/').slice(1)) node = ensureChild(node, segment);
    node.methods.set(route.method, route);
  }
  return root;
}

function ensureChild<T>(node: Node<T>, segment: string): Node<T> {
  const [, name, plus] = /^\{([^}+]+)(\+)?\}$/.exec(segment) ?? [];
  if (name === undefined && segment.includes('{'))
    throw new Error(`The local runner does not support the path segment ${segment}`);
  const ofParameter = plus ? GREEDY : PARAMETER;
  const key = name === undefined ? segment : ofParameter;
  const child = node.children.get(key) ?? makeNode<T>(name);
  node.children.set(key, child);
  return child;
}

export const findRoute = <T extends Route>(
  root: RouteTree<T>,
  method: string,
  rawPath: string,
): FoundRoute<T> | undefined => findRouteBelow(root, method, rawPath.split('/').slice(1));

function findRouteBelow<T extends Route>(
  node: Node<T>,
  method: string,
  segments: readonly string[],
): FoundRoute<T> | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return makeFoundRoute(node.methods.get(method), {});
  const literal = node.children.get(segment);
  const literalMatch = literal && findRouteBelow(literal, method, rest);
  if (literalMatch) return literalMatch;
  const parameter = node.children.get(PARAMETER);
  const value = decodePercent(segment);
  if (parameter && value) {
    const below = findRouteBelow(parameter, method, rest);
    if (below) return { ...below, pathParameters: { [parameter.name]: value, ...below.pathParameters } };
  }
  const greedy = node.children.get(GREEDY);
  const greedyValue = decodePercent(segments.join('/'));
  return greedy && greedyValue ? makeFoundRoute(greedy.methods.get(method), { [greedy.name]: greedyValue }) : undefined;
}

const makeFoundRoute = <T extends Route>(
  route: T | undefined,
  pathParameters: FoundRoute<T>['pathParameters'],
): FoundRoute<T> | undefined => route && { route, pathParameters };

/** Finds the route of a request as a REST API does: by its tree of resources, literal segments first. */
import { decodePercent } from './percent-encoding.ts';

export interface Route {
  readonly method: string;
  /** As declared: `/v1/runs/{runId}`. */
  readonly path: string;
}

export interface FoundRoute<T extends Route> {
  readonly route: T;
  /** Values are URL-decoded, as functions receive them. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  parameter: { readonly name: string; readonly node: Node<T> } | undefined;
  readonly methods: Map<string, T>;
}

export type RouteTree<T extends Route> = Node<T>;

const newNode = <T>(): Node<T> => ({ literals: new Map(), parameter: undefined, methods: new Map() });

export function routeTree<T extends Route>(routes: readonly T[]): RouteTree<T> {
  const root = newNode<T>();
  for (const route of routes) {
    let node = root;
    for (const segment of route.path.split('/').slice(1)) node = childFor(node, segment);
    node.methods.set(route.method, route);
  }
  return root;
}

function childFor<T>(node: Node<T>, segment: string): Node<T> {
  const parameter = /^\{([^}+]+)\}$/.exec(segment)?.[1];
  if (parameter !== undefined) {
    node.parameter ??= { name: parameter, node: newNode() };
    return node.parameter.node;
  }
  if (segment.includes('{')) throw new Error(`The local runner does not imitate the path segment ${segment}`);
  const child = node.literals.get(segment) ?? newNode<T>();
  node.literals.set(segment, child);
  return child;
}

/**
 * The route for a raw path (no query), or undefined. A literal resource hides its `{parameter}` sibling even for
 * methods that only the sibling has: API Gateway looks for the resource first and for its method second.
 */
export function findRoute<T extends Route>(
  root: RouteTree<T>,
  method: string,
  rawPath: string,
): FoundRoute<T> | undefined {
  const pathParameters: Record<string, string> = {};
  let node = root;
  for (const segment of rawPath.split('/').slice(1)) {
    const literal = node.literals.get(segment);
    if (literal) {
      node = literal;
      continue;
    }
    const value = decodePercent(segment);
    if (!node.parameter || segment === '' || value === undefined) return undefined;
    pathParameters[node.parameter.name] = value;
    node = node.parameter.node;
  }
  const route = node.methods.get(method);
  return route && { route, pathParameters };
}

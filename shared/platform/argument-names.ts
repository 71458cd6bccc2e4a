/** The arguments of an operation's MCP tool: path parameters, query parameters and body members. */
import * as z from 'zod';
import type { Declaration } from './declaration.ts';

export interface ArgumentNames {
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly body: readonly string[];
  /** Whether the whole body is one argument, because it is not an object. */
  readonly isNested: boolean;
}

/**
 * The query parameter that tools do not have. Tools cannot page backwards: to save tokens, their responses contain only
 * the cursor of the next page.
 */
const BACKWARDS = 'ending_before';

export function argumentNames({
  pathParameters,
  query,
  body,
}: Pick<Declaration, 'pathParameters' | 'query' | 'body'>): ArgumentNames {
  const isNested = body !== undefined && !(body instanceof z.ZodObject);
  return {
    path: Object.keys(pathParameters.shape),
    query: Object.keys(query.shape).filter((name) => name !== BACKWARDS),
    body: body instanceof z.ZodObject ? Object.keys(body.shape) : isNested ? ['body'] : [],
    isNested,
  };
}

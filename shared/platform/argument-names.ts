/** The arguments of an operation's tool: the names of path, query and body together. */
import * as z from 'zod';
import type { Declaration } from './declaration.ts';

export interface ArgumentNames {
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly body: readonly string[];
  /** Whether the whole body is one argument, because it is no object. */
  readonly isNested: boolean;
}

/** Answers of tools contain only the cursor of the next page, so that each item is shorter. */
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

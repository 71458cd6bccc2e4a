/** The arguments of an operation's MCP tool: its path parameters, query parameters and properties of the body. */
import * as z from 'zod';
import type { Declaration } from './declaration.ts';

export interface ArgumentNames {
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly body: readonly string[];
  /** Those that only the tool has. */
  readonly own: readonly string[];
  /** Whether the whole body is passed as a single argument, because it is not an object. */
  readonly isNested: boolean;
}

/** Tools cannot page backward, because their responses have only the cursor of the next page, to save tokens. */
const BACKWARDS = 'ending_before';

export function listArgumentNames({
  pathParameters,
  query,
  body,
  tool,
}: Pick<Declaration, 'pathParameters' | 'query' | 'body' | 'tool'>): ArgumentNames {
  const isNested = body !== undefined && !(body instanceof z.ZodObject);
  const members = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
  return {
    path: Object.keys(pathParameters.shape),
    query: Object.keys(query.shape).filter((name) => name !== BACKWARDS),
    body: isNested ? ['body'] : members,
    own: Object.keys(listOwnArguments(tool)),
    isNested,
  };
}

/** The arguments that only the tool has, by name. */
export const listOwnArguments = (tool: Declaration['tool']): Readonly<Record<string, z.ZodType>> =>
  typeof tool === 'object' && tool.screenshot
    ? { screenshot: z.boolean().default(false).meta({ description: tool.screenshot.description }) }
    : {};

/** The MCP tool of an API operation. Models read all the texts of a tool. */

import type { Requirement } from '#shared/access/actions.ts';
import type { ApiActor } from '#shared/access/actor.ts';
import type { Services } from '#shared/services.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** Annotations that MCP defines. For example, a client may ask for confirmation before it calls a destructive tool. */
interface ToolHints {
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface ToolSpecification<Result> {
  /** Default: the operation id in snake_case. */
  readonly name?: string;
  /**
   * Tells a model when to use the tool, and which other tool returns the ids that the arguments need. Models read this
   * text after the summary of the operation.
   */
  readonly description: string;
  /**
   * Read-only tools always count as idempotent and not destructive. Other tools must state `destructiveHint` and
   * `idempotentHint`.
   */
  readonly hints?: Partial<ToolHints>;
  /** Default values for arguments that a call omits. May include names listed in `without`. */
  readonly defaults?: Arguments;
  /**
   * For operations with `date_start` and `date_end`: the default date range begins this many days ago. It ends a day
   * from now, so that it includes the latest results.
   */
  readonly rangeDays?: number;
  /**
   * Parameters of the operation that the tool does not offer. Each value is the reason for leaving the parameter out.
   */
  readonly without?: Readonly<Record<string, string>>;
  /** Shortens a JSON result. */
  readonly answer?: (result: Result) => unknown;
  /** Suggests which tools to call next. Not shown after an empty list. */
  readonly next?: string;
}

/** The entry in `tools/list`, generated at build time from the declaration of the tool. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly annotations: ToolHints & { readonly readOnlyHint: boolean };
}

export interface ToolCall {
  readonly services: Services;
  readonly actor: ApiActor;
  readonly args: Arguments;
  readonly requestId: string;
}

/** An operation that models can call as a tool. `invoke` runs the operation and returns the text of the answer. */
export interface Tool {
  readonly declaration: {
    readonly operationId: string;
    readonly permission: Requirement;
  };
  readonly invoke: (call: ToolCall) => Promise<string>;
}

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

/** A call that was answered, for what the tool adds to its answer. */
interface AnsweredCall<Request, Result> {
  readonly request: Request;
  readonly result: Result;
  readonly services: Services;
}

/** A picture for models that can see. */
interface Picture {
  readonly mimeType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
  /** In Base64. */
  readonly data: string;
}

/** What a tool sees: a picture, or the sentence that says why there is none. */
export type Sight = Picture | { readonly note: string };

export interface ToolSpecification<Result, Request = never> {
  /** Default: the operation id in snake_case. */
  readonly name?: string;
  /** When to use the tool, and which tool returns the ids for it. Models read it after the operation's summary. */
  readonly description: string;
  /** Read-only tools count as idempotent, not destructive. Others state `destructiveHint` and `idempotentHint`. */
  readonly hints?: Partial<ToolHints>;
  /** Default values for arguments that a call omits. May include names listed in `without`. */
  readonly defaults?: Arguments;
  /** The default `date_start` is this many days ago, and `date_end` a day from now, to include the latest results. */
  readonly rangeDays?: number;
  /** Parameters of the operation that the tool does not offer, each with the reason. */
  readonly without?: Readonly<Record<string, string>>;
  /** Shortens a JSON result. */
  readonly answer?: (result: Result, call: Omit<AnsweredCall<Request, Result>, 'result'>) => unknown;
  /**
   * Says what the data do not say: which values exist if nothing matched, or that something newer exists. Models take an
   * empty list for "there is none".
   */
  readonly note?: (call: AnsweredCall<Request, Result>) => Promise<string | undefined> | string | undefined;
  /** Adds a picture if the argument `screenshot`, which only the tool has, is true. Its description. */
  readonly screenshot?: {
    readonly description: string;
    readonly read: (call: Omit<AnsweredCall<Request, Result>, 'result'>) => Promise<Sight>;
  };
  /** Suggests which tools to call next. Not shown after an empty list. */
  readonly next?: string;
}

/** The entry in `tools/list`, generated at build time from the declaration of the tool. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  /** Without hints that mean nothing for a tool that only reads. */
  readonly annotations: Partial<ToolHints> & { readonly readOnlyHint: boolean };
}

export interface ToolCall {
  readonly services: Services;
  readonly actor: ApiActor;
  readonly args: Arguments;
  readonly requestId: string;
}

export interface ToolAnswer {
  readonly text: string;
  /** The data of the text, for programs. Absent if the text is Markdown, or if it is cut. */
  readonly structured?: object;
  readonly picture?: Picture;
}

/** An operation that models can call as a tool. `invoke` runs the operation. */
export interface Tool {
  readonly declaration: {
    readonly operationId: string;
    readonly permission: Requirement;
  };
  readonly invoke: (call: ToolCall) => Promise<ToolAnswer>;
}

/** What checks expect of an answer, and how they describe it. */
import * as z from 'zod';
import { parseJson } from '#shared/engine/json.ts';
import { must, Wrong } from './outcome.ts';

export interface DeploymentAnswer {
  /** The method and the path. */
  readonly what: string;
  readonly status: number;
  readonly headers: Headers;
  /** The decompressed body. */
  readonly text: string;
  readonly milliseconds: number;
}

/** Longer paths and bodies are cut in messages. */
export const SHOWN_CHARACTERS = 100;

export function describeAnswer({ what, status, headers, text }: DeploymentAnswer): string {
  const location = headers.get('location');
  const beginning = text.trim().replaceAll(/\s+/g, ' ').slice(0, SHOWN_CHARACTERS);
  const more = location === null ? beginning && `: ${beginning}` : ` to ${location}`;
  return `${what} returned ${status}${more}`;
}

export function mustReturn(answer: DeploymentAnswer, status: number): void {
  must(answer.status === status, `${describeAnswer(answer)}, expected ${status}`);
}

/** Throws `Wrong` if the response has another status or does not match the schema. */
export function parseAnswer<T>(schema: z.ZodType<T>, answer: DeploymentAnswer, status = 200): T {
  mustReturn(answer, status);
  const { data, error } = schema.safeParse(parseJson(answer.text));
  if (error) throw new Wrong(`${describeAnswer(answer)}, which does not match the schema: ${z.prettifyError(error)}`);
  return data;
}

export const parseAnswerData = <T>(schema: z.ZodType<T>, answer: DeploymentAnswer, status?: number): T =>
  parseAnswer(z.object({ data: schema }), answer, status).data;

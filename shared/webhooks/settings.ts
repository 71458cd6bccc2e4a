/** §6 Validates webhook settings before any read, so that invalid input always gets 400. */
import { invalidRequest } from '#shared/engine/errors.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import type { Services } from '#shared/services.ts';
import { findHeadersProblem } from './header-rules.ts';

export type HeadersAsSent = string | Readonly<Record<string, string>> | null;

export function checkUrl(url: string, policy: Pick<Services, 'privateReceivers'>): string {
  refuseProblem(findUrlProblem(url, policy));
  return url;
}

/** Returns the headers as the JSON text that clients expect to read. Throws 400 for invalid ones. */
export function checkHeaders(headers: HeadersAsSent): string | null {
  if (headers === null) return null;
  const text = typeof headers === 'string' ? headers : JSON.stringify(headers);
  refuseProblem(findHeadersProblem(text));
  return text;
}

function refuseProblem(problem: string | undefined): void {
  if (problem !== undefined) throw invalidRequest(problem);
}

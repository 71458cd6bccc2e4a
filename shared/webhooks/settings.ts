/** §6 What a webhook shall be like: held against the rules before anything is read, so that a bad wish is 400 wherever it is sent. */
import { invalidRequest } from '../errors.ts';
import type { Services } from '../services.ts';
import { problemOfHeaders } from './header-rules.ts';
import { problemOfUrl } from './url-rules.ts';

export type HeadersAsSent = string | Readonly<Record<string, string>> | null;

export function urlFrom(url: string, policy: Pick<Services, 'privateReceivers'>): string {
  refuseFor(problemOfUrl(url, policy));
  return url;
}

/** An object becomes the text that clients expect to read. */
export function headersFrom(headers: HeadersAsSent): string | null {
  if (headers === null) return null;
  const text = typeof headers === 'string' ? headers : JSON.stringify(headers);
  refuseFor(problemOfHeaders(text));
  return text;
}

function refuseFor(problem: string | undefined): void {
  if (problem !== undefined) throw invalidRequest(problem);
}

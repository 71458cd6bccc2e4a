/** Requests to providers, which must not reach addresses inside of this service (§6, SSRF). */

import type { CustomFetch } from 'openid-client';
import { type Network, sendRequest } from '#shared/sending/exchange.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import { COMPANY_LIMITS } from './limits.ts';

/** The library follows no redirects. The connection refuses addresses that this service may not reach. */
export function makeGuardedFetch(network: Network): CustomFetch {
  return async (text, { method, headers: requestHeaders, body }) => {
    const problem = findUrlProblem(text, network);
    if (problem !== undefined) throw new UnreachableProvider(problem);
    if (method !== 'GET' && method !== 'POST') throw new UnreachableProvider(`The method ${method} is not sent`);
    const { answerBytes } = COMPANY_LIMITS;
    const answer = await sendRequest(
      {
        method,
        url: new URL(text),
        headers: { Accept: 'application/json', ...requestHeaders },
        body: body instanceof URLSearchParams || typeof body === 'string' ? String(body) : '',
        answerBytes: { read: answerBytes, kept: answerBytes },
      },
      network,
    );
    const { statusCode, error } = answer;
    if (statusCode === null) throw new UnreachableProvider(error ?? 'No answer');
    const headers = new Headers();
    const contentType = answer.headers?.['content-type'];
    if (contentType !== undefined) headers.set('content-type', contentType);
    return new Response(answer.text ?? '', { status: statusCode, headers });
  };
}

export class UnreachableProvider extends Error {
  override name = 'UnreachableProvider';
}

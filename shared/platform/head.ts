/** HEAD is GET without the body (RFC 9110 section 9.3.2). Monitors, link checkers and package managers send it. */
import type { HttpAnswer } from '#shared/engine/http/answer.ts';

export const answerHead =
  <Event extends { readonly httpMethod: string }, More extends readonly unknown[]>(
    handle: (event: Event, ...more: More) => Promise<HttpAnswer>,
  ) =>
  async (event: Event, ...more: More): Promise<HttpAnswer> => {
    if (event.httpMethod !== 'HEAD') return handle(event, ...more);
    const answer = await handle({ ...event, httpMethod: 'GET' }, ...more);
    return { ...answer, body: '', isBase64Encoded: false };
  };

import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';

/** Waits as long as it takes. `fetch` gives up after five minutes, and beside other work, bundles may take longer. */
export async function postPatiently(url: string, body: string): Promise<{ status: number; content: string }> {
  const request = sendRequest(url, { method: 'POST' });
  request.end(body);
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (!response) throw new Error('The stage has not answered');
  return { status: response.statusCode ?? 0, content: await text(response) };
}

/** A stand-in for Slack's incoming webhooks. It responds as Slack's documentation says. */
import type { ServerResponse } from 'node:http';
import { type Received, receiver } from './receiver.ts';

const PATH = '/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX';

export interface SlackStandIn {
  /** The address of the incoming webhook. */
  readonly address: string;
  readonly received: readonly Received[];
  readonly texts: () => string[];
  /** Answers the next requests with these responses, and later requests as Slack would. */
  readonly answerWith: (...answers: readonly SlackAnswer[]) => void;
  /** Handles the next request with this function. */
  readonly actOnce: (act: (response: ServerResponse) => void) => void;
}

interface SlackAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function slackStandIn(): Promise<SlackStandIn> {
  const next: SlackAnswer[] = [];
  const taken: string[] = [];
  const acts: ((response: ServerResponse) => void)[] = [];
  const { url, received } = await receiver((response, { path, body }) => {
    const act = acts.shift();
    if (act) return act(response);
    const { status, text, headers } = next.shift() ?? answerTo(path, body);
    if (status === 200) taken.push(JSON.parse(body).text);
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(text);
  });
  const address = `${new URL(url).origin}${PATH}`;
  return {
    address,
    received,
    texts: () => taken,
    answerWith: (...answers) => void next.push(...answers),
    actOnce: (act) => void acts.push(act),
  };
}

function answerTo(path: string, body: string): SlackAnswer {
  if (path !== PATH) return { status: 404, text: 'no_service' };
  const sent: unknown = JSON.parse(body);
  const hasText = typeof sent === 'object' && sent !== null && 'text' in sent && sent.text !== '';
  return hasText ? { status: 200, text: 'ok' } : { status: 400, text: 'no_text' };
}

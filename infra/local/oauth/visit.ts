/** One visit of a browser in the middle of an authorization request, and what it can be answered with. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import * as z from 'zod';
import type { Administration } from '#shared/services.ts';
import type { Page } from './html.ts';
import { type Problem, problemPage } from './pages.ts';

export interface Visit {
  readonly provider: Provider;
  readonly services: Administration;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly query: URLSearchParams;
  readonly details: Awaited<ReturnType<Provider['interactionDetails']>>;
  readonly request: AuthorizationRequest;
  readonly clientName: string;
}

/** Of an authorization request, as the provider has checked and completed it. */
export const AuthorizationRequest = z.object({
  client_id: z.string(),
  redirect_uri: z.url(),
  resource: z.union([z.string(), z.array(z.string())]),
});
type AuthorizationRequest = z.infer<typeof AuthorizationRequest>;

export type Reply =
  | { readonly kind: 'page'; readonly status: number; readonly page: Page; readonly formTarget?: string }
  /** The first question is answered. */
  | { readonly kind: 'signedIn'; readonly location: string }
  | { readonly kind: 'onward'; readonly location: string };

/** A form's browser may be led on to the client, and to nobody else. */
export const show = ({ request }: Visit, page: Page): Reply => ({
  kind: 'page',
  status: 200,
  page,
  formTarget: new URL(request.redirect_uri).origin,
});

export const problem = (status: number, what: Problem): Reply => ({ kind: 'page', status, page: problemPage(what) });

const MAX_FORM_BYTES = 16 * 1024;

/** The fields of a posted form; `undefined` when it is larger than any of ours. */
export async function fieldsOf(req: IncomingMessage): Promise<Record<string, string> | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > MAX_FORM_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
}

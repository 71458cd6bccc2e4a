/** One browser request within an authorization request, and its possible replies. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import * as z from 'zod';
import type { CoreServices } from '#shared/services.ts';
import type { Page } from './html.ts';
import { type Problem, problemPage } from './pages.ts';

export interface Visit {
  readonly provider: Provider;
  readonly services: CoreServices;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly query: URLSearchParams;
  readonly details: Awaited<ReturnType<Provider['interactionDetails']>>;
  readonly request: AuthorizationRequest;
  readonly clientName: string;
}

/** The authorization request, validated and completed by the provider. */
export const AuthorizationRequest = z.object({
  client_id: z.string(),
  redirect_uri: z.url(),
  resource: z.union([z.string(), z.array(z.string())]),
});
type AuthorizationRequest = z.infer<typeof AuthorizationRequest>;

export type Reply =
  | { readonly kind: 'page'; readonly status: number; readonly page: Page; readonly formTarget?: string }
  /** The sign-in is complete. */
  | { readonly kind: 'signedIn'; readonly location: string }
  | { readonly kind: 'onward'; readonly location: string };

/** The form's browser may be redirected to the client only. */
export const show = ({ request }: Visit, page: Page): Reply => ({
  kind: 'page',
  status: 200,
  page,
  formTarget: new URL(request.redirect_uri).origin,
});

export const problem = (status: number, what: Problem): Reply => ({ kind: 'page', status, page: problemPage(what) });

const MAX_FORM_BYTES = 16 * 1024;

/** The fields of a posted form. `undefined` if it is larger than any form of the issuer. */
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

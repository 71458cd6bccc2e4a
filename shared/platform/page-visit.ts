/** Who is signed in, and which organization and project the URL names, for one page request. */
import type { Services } from '#shared/services.ts';
import { isRecordDue, readSession, recordRequest } from '#shared/sign-in/sessions.ts';
import { type KnownVisit, type PolledVisit, readPolledVisit, readVisit, type Visit } from '#shared/sign-in/visit.ts';
import type { PageDeclaration } from './page.ts';

interface VisitRequest {
  /** The session secret from the cookie. */
  readonly secret: string | undefined;
  readonly declaration: Pick<PageDeclaration, 'needs' | 'isPolled'>;
  readonly places: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds out who requests a page. `visit` is absent if nobody is signed in, which includes sessions whose account is
 * gone.
 */
export async function visitOfRequest(
  services: Services,
  start: Visit,
  { secret, declaration: { needs, isPolled }, places }: VisitRequest,
): Promise<KnownVisit | { readonly visit: PolledVisit; readonly refusal?: never }> {
  const session = await readSession(services, secret, { consistent: !isPolled });
  if (!session) return { visit: undefined };
  const known = { ...start, session };
  if (isPolled && !isRecordDue(session, services.now()))
    return { visit: await readPolledVisit(services, known, places) };
  const read = await readVisit(services, known, needs === 'visitor' ? {} : places);
  if (read.visit && !read.refusal) await recordRequest(services, session);
  return read;
}

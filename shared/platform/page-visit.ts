/** The visit of one request for a page: who is signed in, and the place that the URL names. */
import type { Services } from '#shared/services.ts';
import { isRecordDue, readSession, recordRequest } from '#shared/sign-in/sessions.ts';
import { type KnownVisit, type PolledVisit, readPolledVisit, readVisit, type Visit } from '#shared/sign-in/visit.ts';
import type { PageDeclaration } from './page.ts';

interface VisitRequest {
  /** The secret of the session, as the cookie holds it. */
  readonly secret: string | undefined;
  readonly declaration: Pick<PageDeclaration, 'needs' | 'isPolled'>;
  readonly places: Readonly<Record<string, string | undefined>>;
}

/** Without a visit if nobody is signed in. A session whose account is gone signs nobody in. */
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

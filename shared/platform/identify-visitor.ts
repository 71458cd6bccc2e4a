/** Finds out who asks for a page, and whether they may visit the places of its path. */
import type { ApiError } from '#shared/engine/errors.ts';
import type { Lookup } from '#shared/engine/table/found.ts';
import type { Services } from '#shared/services.ts';
import type { SentCookies } from '#shared/sign-in/cookies.ts';
import { isRecordDue, recordRequest } from '#shared/sign-in/sessions.ts';
import {
  admitPoll,
  judgeVisit,
  type KnownVisit,
  type PolledVisit,
  readPolledRows,
  readVisitRows,
  type Visit,
} from '#shared/sign-in/visit.ts';
import type { PageDeclaration } from './page.ts';

interface Identification {
  /** Absent if nobody is signed in, or if the account of the session was deleted. */
  readonly visit: KnownVisit['visit'] | PolledVisit;
  readonly refusal?: ApiError | undefined;
  /** The first row of the page, which is only for a visit that is allowed. */
  readonly firstRow?: unknown;
}

interface VisitRequest {
  readonly cookie: Pick<SentCookies, 'session' | 'hint'>;
  readonly declaration: Pick<PageDeclaration, 'needs' | 'isPolled'>;
  /** The values of the path parameters, such as the id of the organization. */
  readonly places: Readonly<Record<string, string | undefined>>;
  /** The row that the page needs first. It is read together with those that identify the visitor. */
  readonly firstLookup: Lookup<unknown> | undefined;
}

/** `start`: the visit without what depends on the person. */
export async function identifyVisitor(
  services: Services,
  start: Visit,
  { cookie, declaration, places, firstLookup }: VisitRequest,
): Promise<Identification> {
  const { needs, isPolled } = declaration;
  if (isPolled) {
    const polledRows = await readPolledRows(services, cookie, places);
    if (!polledRows) return { visit: undefined };
    if (!isRecordDue(polledRows.session, services.now())) return { visit: admitPoll(start, polledRows, places) };
  }
  const visitedPlaces = needs === 'visitor' ? {} : places;
  const visitRows = await readVisitRows(services, cookie, visitedPlaces, firstLookup ? [firstLookup] : []);
  if (!visitRows) return { visit: undefined };
  const { session, rows } = visitRows;
  const identification = judgeVisit(services, { ...start, session }, visitedPlaces, rows);
  if (!identification.visit || identification.refusal) return identification;
  await recordRequest(services, session);
  return { ...identification, firstRow: firstLookup && rows.of(firstLookup) };
}

/** What the pages about a period of time have in common. */
import type { Here } from '#shared/pages/shell/here.ts';
import type { ShownPeriod } from '#shared/pages/shell/list-filters.tsx';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

export interface InTime {
  readonly at: Here & { readonly visit: ProjectVisit };
  readonly period: ShownPeriod;
  readonly now: number;
}

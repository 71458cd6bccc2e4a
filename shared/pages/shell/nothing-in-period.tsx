/** The place of a list about a period of time that has no rows. */
import type { Html } from '#shared/engine/html/html.ts';
import type { IconName } from '#shared/pages/design/icons.ts';
import { EmptyState } from '#shared/pages/design/parts.tsx';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { getPath, type Here, listFilters } from './here.ts';
import { linkToRuns } from './hrefs.ts';
import { ARRIVAL } from './list-filters.tsx';

interface Props {
  readonly at: Here & { readonly visit: ProjectVisit };
  readonly icon: IconName;
  readonly title: string;
  /** Such as `test`. */
  readonly noun: string;
  /** What did not happen, such as `No test ran in this period.` */
  readonly reason: string;
}

/** The page of runs explains how to record the first one, so a new project has no list without a next step. */
export const NothingInPeriod = ({ at, icon, title, noun, reason }: Props): Html =>
  listFilters(at).length > 0 ? (
    <EmptyState icon={icon} title={title}>
      <p>No {noun} in this period matches these filters. Remove a filter or choose another period.</p>
      <a class="button quiet" href={getPath(at)}>
        Clear filters
      </a>
    </EmptyState>
  ) : (
    <EmptyState icon={icon} title={title}>
      <p>
        {reason} {ARRIVAL} A project without runs shows under Runs how to record the first one.
      </p>
      <a class="button quiet" href={linkToRuns(at.visit)}>
        Runs
      </a>
    </EmptyState>
  );

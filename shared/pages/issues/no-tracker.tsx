/** What pages show if no issue tracker can be used: who can change that, and where. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { listTrackers } from '#shared/model/issues/tracker-kind.ts';
import { EmptyState } from '#shared/pages/design/parts.tsx';
import { linkToIntegrations, linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  /** Whether the organization has connections that this project may not use. */
  readonly hasOtherConnections: boolean;
}

export const NoTracker = ({ visit, hasOtherConnections }: Props): Html => (
  <EmptyState
    icon="unplug"
    title={
      hasOtherConnections ? 'This project may not use the connected issue trackers' : 'No issue tracker is connected'
    }
  >
    {may(visit.person, 'integrations:change') ? (
      <>
        <p>
          {hasOtherConnections
            ? 'Add the project to a connection, or connect another tracker.'
            : `Connect your team’s tracker: ${listTrackers(({ name }) => name)}.`}
        </p>
        <a class="button" href={linkToIntegrations(visit)}>
          Open issue trackers
        </a>
      </>
    ) : (
      <>
        <p>
          Ask an Admin of {visit.organizationName}{' '}
          {hasOtherConnections ? 'to add this project to a connection' : 'to connect your team’s tracker'} under Issue
          trackers.
        </p>
        <a class="button quiet" href={linkToOrganizationSettings(visit, 'members')}>
          See who is an Admin
        </a>
      </>
    )}
  </EmptyState>
);

/** The section of the project settings for issue automation. */
import type { Html } from '#shared/engine/html/html.ts';
import { AUTOMATION_LIMITS } from '#shared/issues/automation/limits.ts';
import { type AutomationOfProject, isOn } from '#shared/issues/automation/settings.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import { listTrackers, TRACKER_KINDS, TRACKERS } from '#shared/model/issues/tracker-kind.ts';
import { CheckField, SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { GroupHead } from '#shared/pages/design/parts.tsx';
import { NoTracker } from '#shared/pages/issues/no-tracker.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToIntegrations, linkToProjectSettings } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

const FORM = 'submitIssueAutomation';

/** How people name a project of each connected tracker. */
const describePlaceIds = (connections: AutomationOfProject['connections']): string =>
  TRACKER_KINDS.filter((kind) => connections.some((connection) => connection.kind === kind))
    .map((kind) => `${TRACKERS[kind].name}: ${TRACKERS[kind].placeId}`)
    .join('. ');

interface Props extends WithForms<ProjectVisit> {
  readonly automation: AutomationOfProject;
}

export function IssueAutomationForm({ visit, automation, refused }: Props): Html {
  const { settings, connections, hasOtherConnections, problem } = automation;
  const { target } = settings;
  const { field, box } = readFormEntries(refused, FORM);
  const { passes, failures, perDay } = AUTOMATION_LIMITS;
  // Without a tracker, none of these settings has an effect.
  if (connections.length === 0 && !isOn(settings) && refused?.operationId !== FORM)
    return (
      <>
        <GroupHead title="Issues" note="What Rundown can do automatically with issues of your tracker." id="issues" />
        <NoTracker visit={visit} hasOtherConnections={hasOtherConnections} />
      </>
    );
  return (
    <form method="post" action={`${linkToProjectSettings(visit)}/issues`}>
      <GroupHead
        title="Issues"
        note="What Rundown does automatically with issues. Only complete runs on the default branch count."
        id="issues"
      />
      <RefusalMessage refused={refused} of={FORM} />
      {problem && (
        <p class="notice" role="status">
          <strong>
            An automatic step failed on <FullTime at={problem.at} />.
          </strong>{' '}
          {problem.message}
        </p>
      )}
      {connections.length === 0 && (
        <p class="notice">
          This project cannot use an issue tracker yet. <a href={linkToIntegrations(visit)}>Open issue trackers</a>
        </p>
      )}
      <input type="hidden" name="version" value={settings.version} />
      <div class="panel setting-rows">
        <CheckField
          label="Comment on an issue when its test fails again after the issue was closed"
          {...box('reportsAgain', settings.reportsAgain)}
        />
        <CheckField
          label="Quarantine a test while it has an open issue"
          {...box('quarantines', settings.quarantines)}
        />
        <TextField
          label="Close an issue after its test passed in this many runs in a row"
          type="number"
          min={passes.minimum}
          max={passes.maximum}
          {...field('closesAfterPasses', settings.closesAfterPasses ?? '')}
          hint="Leave the field empty if only people should close issues"
        />
        <TextField
          label="Create an issue after a test failed in this many runs in a row"
          type="number"
          min={failures.minimum}
          max={failures.maximum}
          {...field('createsAfterFailures', settings.createsAfterFailures ?? '')}
          hint="Leave the field empty if only people should create issues"
        />
        <CheckField
          label="Create an issue when a test becomes flaky"
          {...box('createsWhenFlaky', settings.createsWhenFlaky)}
        />
        <TextField
          label="Create at most this many issues per day"
          type="number"
          min={perDay.minimum}
          max={perDay.maximum}
          {...field('createsPerDay', settings.createsPerDay)}
          required
        />
        <SelectField
          label="Create issues in"
          {...field('integrationId', target?.integrationId ?? '')}
          options={[
            { value: '', label: 'No tracker' },
            ...connections.map(({ integrationId, name }) => ({ value: integrationId, label: name })),
          ]}
        />
        <TextField
          label="Project, repository or team"
          maxlength={ISSUE_LIMITS.trackerIdCharacters}
          {...field('trackerProjectId', target?.trackerProjectId ?? '')}
          hint={describePlaceIds(connections)}
        />
        <TextField
          label="Issue type"
          maxlength={ISSUE_LIMITS.trackerIdCharacters}
          {...field('issueTypeId', target?.issueTypeId ?? '')}
          hint={`For example, Bug. Required for ${listTrackers(({ name, needsType }) => (needsType ? name : undefined))}`}
        />
        <footer>
          <span class="grow" />
          <button type="submit">Save issue settings</button>
        </footer>
      </div>
    </form>
  );
}

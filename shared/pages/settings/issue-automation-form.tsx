/** The section of the project settings for issue automation. */
import type { Html } from '#shared/engine/html/html.ts';
import { AUTOMATION_LIMITS } from '#shared/issues/automation/limits.ts';
import type { AutomationOfProject } from '#shared/issues/automation/settings.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import { CheckField, SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { GroupHead } from '#shared/pages/design/parts.tsx';
import { integrationsHref, projectSettingsHref } from '#shared/pages/shell/hrefs.ts';
import { problemAbout, RefusalMessage, sentValue } from '#shared/pages/shell/refused-form.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

const FORM = 'submitIssueAutomation';

interface Props {
  readonly visit: ProjectVisit;
  readonly automation: AutomationOfProject;
  readonly refused: RefusedForm | undefined;
}

export function IssueAutomationForm({ visit, automation, refused }: Props): Html {
  const { settings, connections, problem } = automation;
  const { target } = settings;
  const about = (name: string) => problemAbout(refused, FORM, name);
  const isRefused = refused?.operationId === FORM;
  const entry = (name: string, stored: string | number | undefined) =>
    isRefused ? (sentValue(refused, FORM, name) ?? '') : String(stored ?? '');
  const check = (name: string, stored: boolean) => (isRefused ? sentValue(refused, FORM, name) === 'true' : stored);
  const { passes, failures, perDay } = AUTOMATION_LIMITS;
  return (
    <form method="post" action={`${projectSettingsHref(visit)}/issues`}>
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
          This project cannot use an issue tracker yet. <a href={integrationsHref(visit)}>Open Integrations</a>
        </p>
      )}
      <input type="hidden" name="version" value={settings.version} />
      <div class="panel setting-rows">
        <CheckField
          label="Comment on an issue when its test fails again after the issue was closed"
          name="reportsAgain"
          value="true"
          checked={check('reportsAgain', settings.reportsAgain)}
        />
        <CheckField
          label="Quarantine a test while it has an open issue"
          name="quarantines"
          value="true"
          checked={check('quarantines', settings.quarantines)}
        />
        <TextField
          label="Close an issue after its test passed in this many runs in a row"
          name="closesAfterPasses"
          type="number"
          min={passes.minimum}
          max={passes.maximum}
          value={entry('closesAfterPasses', settings.closesAfterPasses)}
          problem={about('closesAfterPasses')}
          hint="Leave the field empty if only people should close issues"
        />
        <TextField
          label="Create an issue after a test failed in this many runs in a row"
          name="createsAfterFailures"
          type="number"
          min={failures.minimum}
          max={failures.maximum}
          value={entry('createsAfterFailures', settings.createsAfterFailures)}
          problem={about('createsAfterFailures')}
          hint="Leave the field empty if only people should create issues"
        />
        <CheckField
          label="Create an issue when a test becomes flaky"
          name="createsWhenFlaky"
          value="true"
          checked={check('createsWhenFlaky', settings.createsWhenFlaky)}
        />
        <TextField
          label="Create at most this many issues per day"
          name="createsPerDay"
          type="number"
          min={perDay.minimum}
          max={perDay.maximum}
          value={entry('createsPerDay', settings.createsPerDay)}
          problem={about('createsPerDay')}
          required
        />
        <SelectField
          label="Create issues in"
          name="integrationId"
          value={entry('integrationId', target?.integrationId)}
          options={[
            { value: '', label: 'No tracker' },
            ...connections.map(({ integrationId, name }) => ({ value: integrationId, label: name })),
          ]}
          problem={about('integrationId')}
        />
        <TextField
          label="Project, repository or team"
          name="trackerProjectId"
          maxlength={ISSUE_LIMITS.trackerIdCharacters}
          value={entry('trackerProjectId', target?.trackerProjectId)}
          problem={about('trackerProjectId')}
          hint="For example, SHOP in Jira or acme/shop on GitHub and GitLab. In Linear, the id of the team"
        />
        <TextField
          label="Issue type"
          name="issueTypeId"
          maxlength={ISSUE_LIMITS.trackerIdCharacters}
          value={entry('issueTypeId', target?.issueTypeId)}
          problem={about('issueTypeId')}
          hint="For example, Bug. Required for Jira"
        />
        <footer>
          <span class="grow" />
          <button type="submit">Save issue settings</button>
        </footer>
      </div>
    </form>
  );
}

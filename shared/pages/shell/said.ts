/** What the next page says after a form: that it was done. A form that is not listed leads to a page that shows it. */
const SAVED = 'Saved.';
const DELETED = 'Deleted.';
const TEST = 'A test is on its way. Refresh the page to see the answer.';

const SAID: Readonly<Record<string, string>> = {
  submitArchiveRule: 'The rule is archived.',
  submitChannelNotification: 'Saved. Send a test to see whether messages arrive.',
  submitCompanyProvider: SAVED,
  submitCompanyRequirement: SAVED,
  submitDeleteNotification: DELETED,
  submitDeleteRun: 'The run is deleted.',
  submitDeleteWebhook: DELETED,
  submitGroupRoles: SAVED,
  submitHostNotification: 'Saved. Send a test to see whether the token works.',
  submitIntegrationChange: SAVED,
  submitIssueAutomation: SAVED,
  submitNewBadge: 'The badge is created.',
  submitNewIntegration: SAVED,
  submitNewRule: 'The rule is created. It applies from the next run on.',
  submitNotificationEnabled: SAVED,
  submitNotificationTest: TEST,
  submitProjectSettings: SAVED,
  submitRemoveMember: 'The member is removed.',
  submitRemoveRepository: 'The repository is removed.',
  submitResetRun: 'The spec files are released.',
  submitRestoreProject: 'The project is restored.',
  submitRevokeApiKey: 'The API key is revoked.',
  submitRevokeBadge: 'The badge is revoked.',
  submitRevokeShare: 'The share is revoked.',
  submitRevokeToken: 'The token is revoked.',
  submitRole: SAVED,
  submitRuleChange: SAVED,
  submitRuleStatus: SAVED,
  submitSharing: SAVED,
  submitTrustedRepository: 'The repository is trusted.',
  submitWebhookChange: SAVED,
  submitWebhookEnabled: SAVED,
  submitWebhookTest: TEST,
  submitWithdrawInvitation: 'The invitation is withdrawn.',
};

/** `form`: its operation id, from a cookie, so it may be anything. */
export const findSaid = (form: string | undefined): string | undefined =>
  form !== undefined && Object.hasOwn(SAID, form) ? SAID[form] : undefined;

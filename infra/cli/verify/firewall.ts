/** Checks that a firewall in front of the API accepts what test results contain. */
import type { DeploymentAnswer } from './answers.ts';
import { describeAnswer } from './answers.ts';
import { defineChecks } from './check.ts';
import { requireFinding, Wrong } from './outcome.ts';

/** More than the 8 KB that AWS WAF inspects by default, and that its rule SizeRestrictions_BODY allows. */
const BYTES = 9_000;

const ATTACK_LIKE =
  'expected <script>alert("x")</script> to equal &lt;b&gt;; SELECT name FROM users WHERE id = 1 OR 1=1; -- /etc/passwd $(cat "$HOME") \u0024{jndi:ldap://127.0.0.1/a} http://127.0.0.1/ ';

/** An error message as tests of web applications have it, with markup, SQL and shell commands. */
export const ATTACK_LIKE_MESSAGE = ATTACK_LIKE.repeat(Math.ceil(BYTES / ATTACK_LIKE.length));

/** The rules of the managed rule groups of AWS WAF that refuse such bodies, by rule group. */
export const COUNTED_RULES: Readonly<Record<string, readonly string[]>> = {
  AWSManagedRulesCommonRuleSet: [
    'SizeRestrictions_BODY',
    'CrossSiteScripting_BODY',
    'GenericLFI_BODY',
    'GenericRFI_BODY',
    'EC2MetaDataSSRF_BODY',
  ],
  AWSManagedRulesKnownBadInputsRuleSet: ['Log4JRCE_BODY', 'JavaDeserializationRCE_BODY', 'ReactJSRCE_BODY'],
  AWSManagedRulesSQLiRuleSet: ['SQLi_BODY', 'SQLiExtendedPatterns_BODY'],
  AWSManagedRulesUnixRuleSet: ['UNIXShellCommandsVariables_BODY'],
  AWSManagedRulesWindowsRuleSet: ['WindowsShellCommands_BODY', 'PowerShellCommands_BODY'],
  AWSManagedRulesPHPRuleSet: ['PHPHighRiskMethodsVariables_BODY'],
};

export const FIREWALL_FIX =
  'A firewall or a proxy in front of the API refuses bodies of test results. With AWS WAF, override the rules whose names end with _BODY to Count, such as SizeRestrictions_BODY, CrossSiteScripting_BODY and SQLi_BODY: see Firewall in infra/README.md';

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const REPORT = `<testsuites><testsuite name="verify"><testcase name="fails" classname="verify"><failure message="as intended">${escapeXml(ATTACK_LIKE_MESSAGE)}</failure></testcase></testsuite></testsuites>`;

/** A dry run, which records nothing. The recording of a run sends the same message to the paths of reporters. */
export const FIREWALL_CHECKS = defineChecks('Firewall', [
  {
    name: `A report of ${BYTES / 1000} KB with markup, SQL and shell commands is accepted`,
    fix: FIREWALL_FIX,
    run: async ({ askAsKey }, { project }) => {
      const { projectId } = requireFinding(project, 'project');
      const answer = await askAsKey('POST', `/v1/projects/${projectId}/imports?dryRun=true&name=verify.xml`, {
        headers: { 'content-type': 'application/xml' },
        body: REPORT,
      });
      mustPassFirewall(answer);
    },
  },
]);

function mustPassFirewall(answer: DeploymentAnswer): void {
  if (answer.status === 200 || answer.status === 201) return;
  const isRefused = answer.status === 403 || answer.status === 413;
  const fix = isRefused ? FIREWALL_FIX : 'Read the log /aws/lambda/rundown-<env>-createImport';
  throw new Wrong(`${describeAnswer(answer)}, expected 200`, fix);
}

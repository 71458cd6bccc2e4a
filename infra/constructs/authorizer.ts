import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { apiKeys } from '#shared/model/organizations/api-key.ts';
import { issuerKeys } from '#shared/model/organizations/issuer-keys.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { personalTokens } from '#shared/model/organizations/personal-token.ts';
import { monthsOfRequests, requestsOfCredentials } from '#shared/model/organizations/usage.ts';
import { addAlarm, SUM } from './alarm.ts';
import { RundownFunction, type Surroundings } from './rundown-function.ts';

/**
 * The authorizer, which runs before nearly every API request. It checks the credential and the request limits, counts
 * samples of the requests, and sometimes records that a personal token was used.
 */
export function addAuthorizer(scope: Construct, sourceArn: string, surroundings: Surroundings): void {
  const own = new Construct(scope, 'Authorizer');
  const { logGroup } = new RundownFunction(own, 'Authorizer', {
    ...surroundings,
    sourceArn,
    name: 'authorizer',
    file: 'functions/authorizer.ts',
    access: {
      table: 'readUpdate',
      reads: [apiKeys, issuerKeys, organizations, memberships],
      writes: [personalTokens, monthsOfRequests, requestsOfCredentials],
      artifacts: 'none',
    },
    timeoutSeconds: 10,
    errors: 'alarmedElsewhere',
  });
  // API Gateway expects the function to throw for every 401, so the error metric of the function also counts mistakes
  // of clients. The filter excludes the mistakes of clients by the logged error message.
  const thrown = '$.message.errorMessage';
  const faults = new MetricFilter(own, 'Faults', {
    logGroup,
    metricNamespace: 'Rundown',
    metricName: `${surroundings.environment.name}-authorizer-faults`,
    filterPattern: FilterPattern.all(
      FilterPattern.stringValue('$.level', '=', 'ERROR'),
      FilterPattern.any(FilterPattern.notExists(thrown), FilterPattern.stringValue(thrown, '!=', 'Unauthorized')),
    ),
  });
  addAlarm(own, 'FaultsAlarm', surroundings, {
    metric: faults.metric(SUM),
    threshold: 1,
    harm: 'Clients with valid credentials get 503, because the authorizer fails.',
    runbook: 'authorizer-faults',
  });
}

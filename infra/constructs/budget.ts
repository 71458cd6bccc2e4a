import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';

/** In percent of the budget: of the actual costs, and of the costs that AWS forecasts for the month. */
const SPENT_PERCENT = 80;
const EXPECTED_PERCENT = 100;

/**
 * CloudFormation has no `AWS::Budgets::Budget` here, according to its specification in cfn-lint 1.58.0. `npm run scan`
 * finds the regions that this list lacks.
 */
export const WITHOUT_BUDGETS = [
  'af-south-1',
  'ap-east-1',
  'ap-east-2',
  'ap-northeast-3',
  'ap-south-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-north-1',
  'eu-south-1',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'mx-central-1',
  'us-gov-',
];

const explain = (region: string): string =>
  `-c budget=... cannot be used in ${region}, where CloudFormation has no budgets. Leave it out (null in the file of the environment), and create one budget for the account in the billing console`;

export interface Budget {
  readonly dollarsPerMonth: number;
  readonly email: string;
}

/**
 * A budget for the whole account. A budget for this stack alone would need a cost allocation tag, and would send no
 * alerts until someone activates the tag in the billing console. The budget has no name, because CloudFormation
 * replaces it when the email address changes, and could not create a second budget with the same name.
 */
export function addBudget(scope: Construct, { dollarsPerMonth, email }: Budget, region: string | undefined): void {
  if (region !== undefined && WITHOUT_BUDGETS.some((one) => region.startsWith(one))) throw new Error(explain(region));
  const mail = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
    notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold, thresholdType: 'PERCENTAGE' },
    subscribers: [{ subscriptionType: 'EMAIL', address: email }],
  });
  new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: dollarsPerMonth, unit: 'USD' } },
    notificationsWithSubscribers: [mail('ACTUAL', SPENT_PERCENT), mail('FORECASTED', EXPECTED_PERCENT)],
  });
}

/** Mistakes at the command line, in words for the person who made them. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export const USAGE = `Usage: npm run admin -- <noun> <verb> [options]

  organizations create --name <name>
  organizations list
  projects create --organization <id> --name <name> [--branch <default branch>]
  projects list --organization <id>
  keys create --organization <id> --label <label> --level readOnly|readWrite
  keys list --organization <id>
  keys delete --organization <id> --key <key id>
  members add --organization <id> --email <address> --role admin|actionsAdmin|member|guest [--name <name>]
  members list --organization <id>
  members role --organization <id> --email <address> --role <role>
  members remove --organization <id> --email <address>
  tokens create --organization <id> --email <owner's address> --name <name> --permissions results:read,...
                [--description <text>] [--lifetime 7d|30d|60d|90d|1y|YYYY-MM-DD]
  tokens list --organization <id>
  tokens revoke --organization <id> --token <token id>

  --table <name>   a deployed environment's table (output TableName), with the credentials and region of the AWS CLI;
                   without it, the service that npm start runs
  --json           one JSON document for scripts`;

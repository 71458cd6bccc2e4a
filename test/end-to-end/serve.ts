/** The service in a process of its own, to be killed. Arguments: data folder, cloud assembly, port, S3 port (0 takes a free one). */
import { openDataDirectory } from '#infra/local/data-directory.ts';
import { writeLocalFile } from '#infra/local/demo.ts';
import { startEngines } from '#infra/local/engines.ts';
import { startService } from '#infra/local/service.ts';
import { ENVIRONMENT } from '#shared/environment.ts';
import { services } from '#shared/services.ts';

const [folder = '', assembly = '', port, s3Port] = process.argv.slice(2);
const { path: dataDirectory } = await openDataDirectory(folder);
const engines = await startEngines({ dataDirectory, s3Port: Number(s3Port) });
const { origin, baseUrl, environment } = await startService({ assembly, port: Number(port), engines });
Object.assign(process.env, environment);
const local = await writeLocalFile({
  services: services(environment),
  dataDirectory,
  origin,
  baseUrl,
  store: 'embedded',
  oauth: { issuer: environment[ENVIRONMENT.oauthIssuer] ?? '' },
});
process.stdout.write(`${JSON.stringify({ environment, ...local })}\n`);

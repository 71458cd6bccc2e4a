/** Sample secrets in command lines, settings files and sentences, and sample secrets in Base64. */
import { JWT, mixed, of, type SecretSample } from './sample-text.ts';

export const COMMAND_SAMPLES: readonly SecretSample[] = [
  of('password', 'hunter2', 'curl -u jo:', ' https://shop.example.com'),
  of('password', 'hunter2', 'curl -sS --user "jo:', '" https://shop.example.com'),
  of('password', 'hunter2', 'curl https://shop.example.com -u jo:', ''),
  of('password', mixed(30), 'curl https://shop.example.com -u ', ':'),
  of('password', 'hunter2', 'mysql -h db -u root -p', ' shop'),
  of('password', 'hunter2', 'mysqldump --opt -p', ' shop'),
  of('password', 'hunter2', 'sshpass -p ', ' ssh jo@shop.example.com'),
  of('password', 'hunter2', 'docker login -u jo -p ', ' registry.example.com'),
  of('password', 'hunter2', 'redis-cli -h cache -a ', ' ping'),
  of('password', 'hunter2', 'machine shop.example.com login jo password ', '\n'),
  of('secret', 'hunter2', '{ user: "jo", pass: "', '" }'),
  of('secret', 'hunter2', '{"user":"jo","pass":"', '"}'),
  of('secret', 'hunter2', 'login?user=jo&pass=', '&next=%2F'),
  of('secret', 'hunter2', '<password>', '</password>'),
  of('secret', 'horse battery', '<wsse:Password Type="PasswordText">', '</wsse:Password>'),
  of('secret', 'hunter2', '<add key="DbPassword" value="', '" />'),
  of('secret', 'hunter2', 'db:\n  password:\n    ', '\n  port: 80'),
  of('secret', 'hunter2', 'db:\n  password: >-\n    ', '\n  port: 80'),
  of('secret', `${mixed(15)}=`, 'kind: Secret\nmetadata:\n  name: shop\ndata:\n  certificate: ', '\n'),
  of('session', '8c1d0e7f5a', 'GET /cart;sessionid=', ' 200'),
  of('session', mixed(26), '{"sessionId":"', '"}'),
  of('session', mixed(26), 'PHPSESSID=', '; theme=dark'),
  of('secret', 'hunter2', 'The passphrase is ', ', keep it'),
  of('secret', 'correct-horse-battery-staple', 'passphrase is ', ''),
  of('secret', 'horse', 'password is "', '"'),
  of('credentials', 'am86aHVudGVyMg==', '{"auths":{"registry.example.com":{"auth":"', '"}}}'),
];

const inBase64 = (text: string): string => Buffer.from(text).toString('base64');

export const WRAPPED_SAMPLES: readonly SecretSample[] = [
  of('GitHub token in Base64', inBase64(`ghp_${mixed(36)}`)),
  of('Rundown key in Base64', inBase64(`rdn_key_${mixed(42)}`), '"', '"'),
  of('JWT in Base64', inBase64(JWT)),
  of('secret in Base64', inBase64('{"user":"jo","password":"hunter2"}'), '/state/', '?x=1'),
  of('GitHub token in Base64 in Base64', inBase64(inBase64(`token ghp_${mixed(36)} of a job`))),
];

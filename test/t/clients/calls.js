// Execute calls with node-postgres; see calls.py.
const fs = require('fs');
const { Client } = require('pg');

function value(text) {
  if (text === 'null') return null;
  if (text[0] === '{') return text.slice(1, -1).split(',').filter(Boolean).map(Number);
  return Number.isNaN(Number(text)) ? text : Number(text);
}

async function main() {
  const db = new Client();
  await db.connect();
  for (const line of fs.readFileSync(process.argv[2], 'ascii').trim().split('\n')) {
    const [statement, ...parameters] = line.split('\t');
    const { rows } = await db.query(statement, parameters.map(value));
    if (rows.length) console.log(...Object.values(rows[0]));
  }
  await db.end();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});

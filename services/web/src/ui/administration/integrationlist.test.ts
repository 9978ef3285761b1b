import assert from 'node:assert/strict'
import test from 'node:test'
import { inOrder, integrationOf } from './integrationlist'

test('integrations have the names that people know, and are in their order', () => {
  assert.deepEqual(inOrder(['updown', 'github', 'alertmanager', 'brand_new', 'gitea']).map((path) => integrationOf(path).name), [
    'brand_new', 'Gitea', 'GitHub', 'Prometheus Alertmanager', 'updown.io',
  ])
  assert.equal(integrationOf('brand_new').purpose, undefined)
})

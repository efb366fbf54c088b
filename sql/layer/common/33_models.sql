CREATE OR REPLACE VIEW {s}.models AS
SELECT m.name, m.learns, i.updates, i.newest, i.memory, i.memories, i.effective_sample_size,
       i.prior_sample_size, i.mean_reward, i.sigma, i.bytes, i.hint
FROM   {s}.model m, {dlints}.dlints_info(m.state) i;

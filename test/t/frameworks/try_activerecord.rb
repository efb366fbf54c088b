# try_activerecord.rb up|down FILE CLASS | page USER: migrate, or show a page and click its first item.
require 'active_record'

ActiveRecord::Base.establish_connection(
  adapter: 'postgresql', host: ENV['PGHOST'], port: ENV['PGPORT'],
  username: ENV['PGUSER'], database: ENV['PGDATABASE']
)
if ARGV[0] == 'page'
  require "#{Dir.pwd}/page"
  shown = Product.page(ARGV[1].to_i)
  shown.first.clicked
  puts [shown.first.decision, *shown.map(&:id)].join(' ')
else
  ActiveRecord::Migration.verbose = false
  require "#{Dir.pwd}/#{ARGV[1]}"
  Object.const_get(ARGV[2]).new.migrate(ARGV[0].to_sym)
end
